// The page: connects the board, the game and the engine.

import { clockText, judgmentOf } from "./annotation.js";
import { Board } from "./board.js";
import { Catalog, MOST_SHOWN } from "./catalog.js";
import { Session } from "./session.js";
import { $, element } from "./dom.js";
import { Edits } from "./edits.js";
import { Engine } from "./engine.js";
import { Files } from "./files.js";
import { Folder } from "./folder.js";
import { Game, InputError, read, verdict } from "./game.js";
import { Graph } from "./graph.js";
import { withInfo } from "./info.js";
import { isolate, workOffline } from "./isolate.js";
import { Library } from "./library.js";
import { Learner } from "./learner.js";
import { Lines } from "./lines.js";
import { surplusElement } from "./material.js";
import { MoveList } from "./movelist.js";
import { loadOpenings, openingAt } from "./openings.js";
import { Opponent } from "./opponent.js";
import { chess960Start } from "./position.js";
import { gamesOf, textOf } from "./reader.js";
import { Report } from "./report.js";
import { Reviewer } from "./reviewer.js";
import { HASH_SIZES, cores, keepSettings, settings } from "./settings.js";
import { linkOf, readLink } from "./storage.js";
import { sayMove } from "./words.js";

// ---- State ----

/** Whether every position that is shown is analyzed. */
let isOn = false;
let engine;
/** What the engine has said about this position, the best line first. */
let infos = [];
let drawRequested = false;
/** The entry of the games that were shown before. */
let before;
/** Whether exercises are shown, which are nobody's games, and whether the next one is being opened. */
let isLearning = false;
let isNext = false;

const say = (text) => ($("status").textContent = text);

const session = new Session({
  leaving: (isNew) => {
    clearTimeout(keeping);
    if (isNew) {
      if (!isLearning) before = library.leave();
      isLearning = isNext;
      if (!isLearning) learner.drop();
      reviewer.leave();
    }
    opponent.leave();
    configure();
  },
  opened: () => {
    const { games, game } = session;
    $("choose").hidden = games.length < 2;
    $("games").replaceChildren(...games.map((one, i) => element("option", { value: i, text: `${i + 1}. ${one.title || "Game"}` })));
    $("games").value = String(games.indexOf(game));
    edits.forget();
    engine?.newGame();
    writeGame();
    show();
    showBefore();
    reveal();
  },
  moved: show,
});
const goTo = (node) => session.goTo(node);
const edits = new Edits();
const board = new Board({ play, say, drawn: keep });
const moves = new MoveList(goTo);
const graph = new Graph(goTo);
const lines = new Lines((path) => {
  const { node } = session;
  goTo(edits.adding(node, () => path.reduce((to, uci) => to.play(to.understand(uci)), node)));
});
const reviewer = new Reviewer({
  engine: () => engine,
  changed: () => {
    graph.draw(session.game);
    graph.mark(session.node);
  },
  done: (game) => {
    if (game === session.game) {
      writeGame();
      show();
    } else {
      tell(`The review of game ${session.games.indexOf(game) + 1} is done.`, true);
      keep();
    }
  },
  pause,
  position: () => session.node,
  goTo,
  playOut: (node) => session.playOut(node),
});
const opponent = new Opponent({
  engine: () => engine,
  begin: (game) => {
    pause();
    session.open([game]);
  },
  position: () => session.node,
  goTo: (to) => {
    writeGame();
    goTo(to);
  },
  left: () => {
    configure();
    writeGame();
    show();
  },
  flip: (color) => {
    board.flip(color);
    showPlayers();
  },
  tick: showPlayers,
});
const learner = new Learner({
  engine: () => engine,
  begin: (game, node, color) => {
    pause();
    isNext = true;
    session.open([game], game, node);
    isNext = false;
    board.flip(color);
    showPlayers();
  },
  position: () => session.node,
  goTo,
  playOut: (node) => session.playOut(node),
  point: (square) => board.point(square),
  left: () => {
    const kept = before && library.read(before);
    before = undefined;
    if (kept) openKept(kept);
    else session.open([Game.fromFen()]);
  },
  tell,
});
$("learnhere").addEventListener("click", () => {
  const { cards } = gamesOf(session.game.pgn)[0];
  const own = cards.filter(({ fen }) => fen.split(" ")[1] === board.orientation[0]);
  learner.start(own.length > 0 ? own : cards);
});
const catalog = new Catalog({
  engine: () => engine,
  open: (games) => {
    tell("");
    session.open(games);
  },
  learn: (player, cards) => learner.start(cards, player),
});
const library = new Library({
  state: () => ({ ...session, play: opponent.state, link: ownLink, reviews: reviewer.unfinished }),
  open: openKept,
  deleted: (pgn) => catalog.remove(pgn),
  restored: (pgn) => catalog.add(gamesOf(pgn)),
  tell,
});
const files = new Files({ game: () => session.game, node: () => session.node, load, tell });
const folder = new Folder({
  read: (bytes, name) => files.take(bytes, name),
  isLarge: () => catalog.isLarge(),
  list: () => catalog.show(),
  tell,
});
new Report({ engine: () => engine, games: () => session.games, hasFiles: () => folder.hasFiles, tell });

// ---- Game ----

function play(move) {
  if (learner.isOn) {
    learner.take(move);
    return;
  }
  const isMove = !opponent.isOn || opponent.mayMove;
  if (!isMove) return;
  const { node } = session;
  if (opponent.isOn) {
    goTo(node.play(move));
    opponent.goOn();
  } else {
    goTo(edits.adding(node, () => node.play(move)));
  }
}

/** Shows the game after a change that is not a new move. */
function changed(node) {
  writeGame();
  goTo(node);
}

/** Whether the moves may be changed: nothing goes on in which they are given. */
const isFree = () => !opponent.isOn && !learner.isOn;

/** Removes the move that led to the position shown, and what follows it. */
function remove() {
  if (session.node.parent && isFree()) changed(edits.remove(session.node));
}

function undo() {
  const node = isFree() ? edits.undo() : undefined;
  if (node) changed(node);
}

/** Shows the position and everything around it, and analyzes it if that is wanted. */
function show() {
  const { game, node } = session;
  $("moveproblem").textContent = "";
  board.show(node, learner.isOn ? learner.colorFor(node) : opponent.isOn ? opponent.colorFor(node) : "both");
  moves.mark(game, node);
  graph.draw(game);
  graph.mark(node);
  showPlayers();
  $("first").disabled = $("back").disabled = !node.parent;
  $("forth").disabled = $("last").disabled = node.children.length === 0;
  $("remove").disabled = !node.parent || !isFree();
  $("undo").disabled = edits.isEmpty || !isFree();
  const end = verdict(node.position);
  const judgment = judgmentOf(node.nags);
  const said = [node.move ? `${node.number} ${sayMove(node.san)}` : "Start of the game", judgment?.name].filter(Boolean).join(", ");
  say(end ? `${said}. ${end}` : said);
  showOpening();
  reviewer.show(game, node);
  opponent.show();
  learner.show();
  analyze();
  keep();
}

/** Writes everything about the game that does not depend on the position shown. */
function writeGame() {
  const { game } = session;
  $("title").textContent = game.title || "Moves";
  $("title").title = game.title;
  moves.write(game);
}

/** The name of the opening up to the position, as soon as the list has been read. */
function showOpening() {
  const name = openingAt(session.node);
  $("opening").textContent = name;
  $("opening").hidden = name === "";
}

/** The names at the board, with the clocks and the results. */
function showPlayers() {
  const { game, node } = session;
  const result = game.headers.get("Result") ?? "*";
  const [whitePoints, blackPoints] = /^(1-0|0-1|1\/2-1\/2)$/.test(result) ? result.replaceAll("1/2", "½").split("-") : ["", ""];
  const clocks = {};
  for (const [color, seconds] of Object.entries(opponent.left ?? {})) clocks[color] = clockText(seconds);
  for (let at = node; at?.parent && !(clocks.white && clocks.black); at = at.parent) {
    const { clock } = at.remark;
    if (clock !== undefined) clocks[at.parent.position.turn] ??= clockText(clock);
  }
  const write = (place, color) => {
    const name = game.headers.get(color === "white" ? "White" : "Black");
    const rating = game.headers.get(color === "white" ? "WhiteElo" : "BlackElo");
    const isKnown = name && name !== "?";
    const points = color === "white" ? whitePoints : blackPoints;
    place.replaceChildren(
      element("i", { class: `disc ${color}`, "aria-hidden": "true" }),
      element("span", { class: "name", text: isKnown ? name : color === "white" ? "White" : "Black" }),
    );
    if (rating && /^\d+$/.test(rating)) place.append(element("span", { class: "rating", text: rating }));
    if (points) place.append(element("b", { class: "points", text: points }));
    const surplus = surplusElement(node.position, color);
    if (surplus) place.append(surplus);
    if (clocks[color]) place.append(element("span", { class: "clock", text: clocks[color] }));
    place.classList.toggle("turn", node.position.turn === color && !node.position.isEnd());
  };
  const isWhiteBelow = board.orientation === "white";
  write($("above"), isWhiteBelow ? "black" : "white");
  write($("below"), isWhiteBelow ? "white" : "black");
}

/** Scrolls to the board where it is out of sight; on a phone, to all that stands around it. */
function reveal() {
  const { top, bottom } = $("board").getBoundingClientRect();
  if (matchMedia("(max-width: 480px), (max-height: 500px)").matches) scrollTo(0, 0);
  else if (top < 0 || bottom > innerHeight) $("above").scrollIntoView({ block: "start" });
}

/** In a large window the graph stands below the lines, where it has room; else below the board. */
const large = matchMedia("(min-width: 1700px) and (min-height: 900px)");
const placeGraph = () => document.querySelector(large.matches ? ".side" : ".play").append(document.querySelector(".graphbox"));
large.addEventListener("change", placeGraph);
placeGraph();

/** Takes a text with many games into the library, and returns whether it is one. */
function loadMany(source) {
  const text = typeof source === "string" ? source : textOf(source);
  if ((text.match(/^\[Event /gm) ?? []).length <= MOST_SHOWN) return false;
  const found = gamesOf(source);
  catalog.add(found).then((isTaken) => {
    if (!isTaken) open(read(source));
    else catalog.show();
  }, () => open(read(source)));
  return true;
}

/** Shows games that were read, and says what is wrong with them. */
function open({ games, faults }) {
  session.open(games);
  tell(faults.slice(0, 3).join(" ") + (faults.length > 3 ? ` There are ${faults.length - 3} more faults.` : ""));
  if (faults.length === 0) $("text").value = "";
}

/** Loads a text, perhaps that of a file. What is shown stays if it holds no game. */
function load(text, file = "") {
  if (loadMany(text)) return;
  try {
    open(read(text));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    tell(file ? `${file}: ${error.message}` : error.message);
  }
}

/** Begins anew. */
function start(fen) {
  tell("");
  $("text").value = "";
  session.open([Game.fromFen(fen)]);
}

/** Writes below the field for games: a fault, or what is fine. */
function tell(text, isFine = false) {
  $("problem").textContent = text;
  $("problem").classList.toggle("fine", isFine);
}

// ---- What stays ----

let keeping;
/** The part of the address that the page has written itself. */
let ownLink = "";

function keep() {
  clearTimeout(keeping);
  keeping = setTimeout(keepNow, 300);
}

async function keepNow() {
  const { games, game } = session;
  if (isLearning) return;
  const link = await linkOf(game);
  if (game !== session.game || isLearning) return;
  ownLink = link;
  if (location.hash !== link) history.replaceState(null, "", link || location.pathname + location.search);
  library.keep();
  if (games.length <= MOST_SHOWN) catalog.keep(games);
}

/** Offers the way back to the games that were shown before. */
function showBefore() {
  const kept = before && library.read(before);
  $("before").hidden = !kept;
  $("beforename").textContent = kept ? `${kept.name} is kept.` : "";
}
$("return").addEventListener("click", () => openKept(library.read(before)));

/** Shows kept games, and goes on with what was done with them. */
function openKept(kept) {
  tell("");
  session.open(kept.games, kept.game, kept.node);
  library.own(kept);
  kept.games.forEach((game, i) => kept.reviews?.[i] && reviewer.resume(game, kept.reviews[i]));
  board.flip(kept.isFlipped ? "black" : "white");
  opponent.restore(kept.play, kept.game);
  if (engine) opponent.goOn();
  show();
}

async function restore() {
  const kept = library.last;
  const { hash } = location;
  if (hash && hash !== kept?.link) await openLink();
  else if (kept) {
    ownLink = hash;
    openKept(kept);
  }
}

async function openLink() {
  try {
    const linked = await readLink(location.hash);
    if (!linked) return;
    session.open(linked.games);
    tell(linked.faults.join(" "));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    tell(error.message);
  }
}
addEventListener("hashchange", () => location.hash !== ownLink && openLink());
addEventListener("pagehide", () => isLearning || library.keep());

// ---- Engine ----

async function startEngine() {
  if (await isolate()) return;
  const mode = $("mode");
  const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
  const progress = (done, all) => {
    $("loading").hidden = false;
    $("loading").firstElementChild.style.width = `${(100 * done) / all}%`;
    $("loading").setAttribute("aria-valuenow", String(Math.round((100 * done) / all)));
    mode.textContent = `Loading the engine: ${megabytes(done)} of ${megabytes(all)} MB`;
  };
  try {
    engine = await Engine.start({ info: onInfo, end: onEnd, note: onNote, failed: onFailure, progress });
  } catch (error) {
    const reason = error instanceof WebAssembly.CompileError ? "this browser is too old for it (it needs WebAssembly with SIMD)" : error.message;
    mode.textContent = "The engine cannot start";
    mode.classList.add("failed");
    $("note").textContent = `The engine cannot start: ${reason}.`;
  }
  $("loading").hidden = true;
  workOffline((renew) => {
    $("renew").hidden = false;
    $("renew").onclick = renew;
  });
  if (!engine) return;
  ready();
  opponent.goOn();
}

function ready() {
  const mode = $("mode");
  const { hasThreads } = engine;
  mode.classList.remove("failed");
  mode.classList.add("ready");
  mode.textContent = hasThreads ? `Ready, on ${cores === 1 ? "one core" : `up to ${cores} cores`}` : "Ready, on one core";
  mode.title = hasThreads ? "" : "The server or the browser does not allow shared memory, which several threads need.";
  $("threads").disabled = !hasThreads;
  if (!hasThreads) $("threads").value = "1";
  $("play").disabled = false;
  configure();
  reviewer.show(session.game, session.node);
  analyze();
  catalog.goOn();
}

function configure() {
  if (!engine) return;
  if (engine.hasThreads) engine.setOption("Threads", settings.threads);
  engine.setOption("Hash", settings.hash);
  engine.setOption("MultiPV", opponent.isOn || isLearning ? 1 : settings.multipv);
}

/** Analyzes the position that is shown, or stops if none should be. */
function analyze() {
  infos = [];
  $("note").textContent = "";
  if (engine && !opponent.isOn && !learner.isOn) {
    if (isOn && !session.node.position.isEnd()) engine.analyze(session.game.root.fen, session.node.moves);
    else engine.stop();
  }
  showToggle();
  draw();
}

/** Shows whether the position is being analyzed. Where the game is over, nothing is. */
function showToggle() {
  const button = $("toggle");
  const isOver = session.node.position.isEnd();
  button.textContent = isOn && !isOver ? "Stop" : "Analyze";
  button.setAttribute("aria-pressed", String(isOn && !isOver));
  button.disabled = !engine || isOver;
}

/** Stops the analysis, for something else that needs the engine. */
function pause() {
  isOn = false;
  engine?.stop();
  showToggle();
}

function toggle() {
  if (!engine || opponent.isOn || learner.isOn || session.node.position.isEnd()) return;
  isOn = !isOn;
  if (isOn) {
    reviewer.stop();
    analyze();
    return;
  }
  // What was found stays on the screen.
  engine.stop();
  showToggle();
}

function onInfo(info) {
  if (learner.isOn) learner.info(info);
  if (opponent.isOn || learner.isOn) return;
  infos = withInfo(infos, info, settings.multipv);
  if (drawRequested) return;
  drawRequested = true;
  requestAnimationFrame(() => {
    drawRequested = false;
    draw();
  });
}

function onEnd(best) {
  if (learner.isOn) {
    learner.end();
    return;
  }
  if (opponent.isOn) {
    opponent.answer(best);
    return;
  }
  isOn = false;
  showToggle();
}

function onNote(text) {
  // A remark that follows from another one must not hide it.
  const note = $("note");
  if (!note.textContent.includes(text)) note.textContent += note.textContent ? `; ${text}` : text;
}

/** Whether the engine is being started again. If it fails even then, it stays so. */
let isRestarting = false;

async function onFailure(reason) {
  learner.leave();
  isOn = false;
  $("toggle").disabled = true;
  if (isRestarting) {
    $("mode").textContent = "The engine has ended";
    $("mode").classList.remove("ready");
    $("mode").classList.add("failed");
    $("note").textContent = `The engine has ended: ${reason}. Load the page again when it is back.`;
    return;
  }
  isRestarting = true;
  // A table that is too large must not end the engine again.
  settings.hash = HASH_SIZES[0];
  $("hash").value = String(settings.hash);
  engine.setOptionLater("Hash", settings.hash);
  await engine.restart();
  isRestarting = false;
  ready();
  opponent.goOn();
  $("note").textContent = `The engine ended (${reason}) and was started again.`;
}

function draw() {
  lines.draw(session.node, infos, settings.multipv);
  board.arrows(settings.arrows ? infos.map(({ pv }) => pv[0]) : []);
}

// ---- Controls ----

const step = {
  first: () => goTo(session.game.root),
  back: () => session.node.parent && goTo(session.node.parent),
  forth: () => session.node.children.length > 0 && goTo(session.node.children[0]),
  last: () => {
    let to = session.node;
    while (to.children.length > 0) [to] = to.children;
    goTo(to);
  },
  flip: () => {
    board.flip();
    showPlayers();
    keep();
  },
};
for (const [name, take] of Object.entries({ ...step, remove, undo })) $(name).addEventListener("click", take);

const KEYS = {
  ArrowLeft: step.back,
  ArrowRight: step.forth,
  ArrowUp: step.first,
  ArrowDown: step.last,
  Home: step.first,
  End: step.last,
  Delete: remove,
  f: step.flip,
  " ": toggle,
  "/": () => $("move").focus(),
};
document.addEventListener("keydown", (event) => {
  if (event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.closest("input, select, textarea")) return;
  if (event.ctrlKey || event.metaKey) {
    if (event.key !== "z") return;
    event.preventDefault();
    undo();
    return;
  }
  // These keys keep their meaning where the focus gives them one.
  if (event.key === " " && event.target.closest("button, summary")) return;
  if (["ArrowUp", "ArrowDown"].includes(event.key) && !event.target.closest(".play") && event.target !== document.body) return;
  const act = KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
  if (!act) return;
  event.preventDefault();
  act();
});

$("typed").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = $("move").value;
  if (text.trim() === "") return;
  const { node } = session;
  const move = node.understand(text);
  const color = learner.isOn ? learner.colorFor(node) : opponent.isOn ? opponent.colorFor(node) : "both";
  const mayMove = color === "both" || color === node.position.turn;
  if (!move || !mayMove) {
    $("moveproblem").textContent = mayMove ? `“${text.trim()}” is not a legal move here.` : "It is not your turn here.";
    return;
  }
  $("move").value = "";
  play(move);
});
$("move").addEventListener("keydown", (event) => {
  if (event.key === "Escape") $("move").blur();
});

$("toggle").addEventListener("click", toggle);
$("games").addEventListener("change", () => session.open(session.games, session.games[$("games").value]));
$("new").addEventListener("click", () => start());
$("fischer").addEventListener("submit", (event) => {
  event.preventDefault();
  start(chess960Start(Number($("number").value)));
});
$("random").addEventListener("click", () => {
  $("number").value = String(Math.floor(Math.random() * 960));
  $("fischer").requestSubmit();
});

$("theme").addEventListener("click", () => {
  const { dataset } = document.documentElement;
  const isDark = dataset.theme ? dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  dataset.theme = isDark ? "light" : "dark";
  try {
    localStorage.setItem("rejoinder.theme", dataset.theme);
  } catch {
    // Then it is forgotten with the page.
  }
});

function fillSettings() {
  const option = (value, text) => element("option", { value, text });
  $("threads").replaceChildren(...Array.from({ length: cores }, (_, i) => option(i + 1, String(i + 1))));
  $("hash").replaceChildren(...HASH_SIZES.map((size) => option(size, `${size} MB`)));
  for (const name of ["multipv", "threads", "hash", "effort"]) {
    $(name).value = String(settings[name]);
    $(name).addEventListener("change", () => {
      settings[name] = Number($(name).value);
      keepSettings();
      if (name === "effort") return;
      engine?.stop();
      configure();
      analyze();
    });
  }
  $("arrows").checked = settings.arrows;
  $("arrows").addEventListener("change", () => {
    settings.arrows = $("arrows").checked;
    keepSettings();
    draw();
  });
}

fillSettings();
writeGame();
show();
catalog.start();
await restore();
startEngine();
loadOpenings().then(showOpening);
await folder.start();
