// The page: connects the board, the game and the engine.

import { Chessground } from "chessground";
import { chessgroundDests, chessgroundMove } from "chessops/compat";
import { kingCastlesTo, makeSquare, parseSquare, squareRank } from "chessops/util";

import { Engine } from "./engine.js";
import { Game, InputError, chess960Start, isChess960, lineOf, read, verdict } from "./game.js";
import { isolate } from "./isolate.js";

const $ = (id) => document.getElementById(id);

/** Creates an element with text and attributes. */
function element(tag, { text = "", ...attributes } = {}) {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

// ---- Settings, which the browser remembers ----

const HASH_SIZES = [16, 32, 64, 128, 256, 512];
const MOST_THREADS = 32;
const cores = Math.min(navigator.hardwareConcurrency || 1, MOST_THREADS);

const settings = { multipv: 3, threads: Math.max(1, cores - 1), hash: 64, arrows: true };

function recall() {
  try {
    Object.assign(settings, JSON.parse(localStorage.getItem("rejoinder.settings") ?? "{}"));
  } catch {
    // Without storage the defaults are used.
  }
  settings.threads = Math.min(settings.threads, cores);
}

function remember() {
  try {
    localStorage.setItem("rejoinder.settings", JSON.stringify(settings));
  } catch {
    // Then they are forgotten with the page.
  }
}

// ---- State ----

let games = [Game.fromFen()];
let game = games[0];
let node = game.root;
/** Whether every position that is shown is analyzed. */
let isOn = false;
let engine;
/** What the engine has said about this position, by rank. */
let infos = [];
/** The lines that are shown in full, by rank. */
const open = new Set();
let drawRequested = false;

// ---- Board ----

const board = Chessground($("board"), {
  movable: { free: false, color: "both", showDests: true, events: { after: onBoardMove } },
  premovable: { enabled: false },
  highlight: { lastMove: true, check: true },
  animation: { enabled: !matchMedia("(prefers-reduced-motion: reduce)").matches, duration: 160 },
  drawable: {
    brushes: {
      green: { key: "g", color: "#15781b", opacity: 1, lineWidth: 10 },
      red: { key: "r", color: "#882020", opacity: 1, lineWidth: 10 },
      blue: { key: "b", color: "#003088", opacity: 1, lineWidth: 10 },
      yellow: { key: "y", color: "#e68f00", opacity: 1, lineWidth: 10 },
      best: { key: "best", color: "#1f5f8b", opacity: 0.9, lineWidth: 11 },
      other: { key: "other", color: "#1f5f8b", opacity: 0.45, lineWidth: 7 },
    },
  },
});
new ResizeObserver(([{ contentRect }]) => contentRect.width > 0 && board.redrawAll()).observe($("board"));

function showPosition() {
  const { position } = node;
  const isOver = position.isEnd();
  board.set({
    fen: node.fen,
    turnColor: position.turn,
    check: position.isCheck() ? position.turn : false,
    lastMove: node.move ? chessgroundMove(node.move) : undefined,
    movable: {
      color: position.turn,
      dests: isOver ? new Map() : chessgroundDests(position, { chess960: isChess960(position) }),
    },
  });
}

async function onBoardMove(from, to) {
  const { position } = node;
  const move = { from: parseSquare(from), to: parseSquare(to) };
  const isPawn = position.board.getRole(move.from) === "pawn";
  if (isPawn && [0, 7].includes(squareRank(move.to))) {
    const before = node;
    move.promotion = await choosePromotion(position.turn);
    if (!move.promotion || node !== before) {
      showPosition();
      return;
    }
  }
  play(move);
}

/** Asks which piece a pawn becomes; undefined if the move is taken back. */
function choosePromotion(color) {
  const dialog = $("promotion");
  for (const piece of dialog.querySelectorAll("piece")) {
    piece.classList.remove("white", "black");
    piece.classList.add(color);
  }
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue || undefined), { once: true });
  });
}

function play(move) {
  goTo(node.play(move));
}

// ---- Game ----

function goTo(to) {
  if (to === node) {
    showPosition();
    return;
  }
  node = to;
  show();
}

/** Shows the position and everything around it, and analyzes it if that is wanted. */
function show() {
  $("moveproblem").textContent = "";
  showPosition();
  showMoves();
  $("first").disabled = $("back").disabled = !node.parent;
  $("forth").disabled = $("last").disabled = node.children.length === 0;
  const end = verdict(node.position);
  const said = node.move ? `${node.number} ${node.san}` : "Start of the game";
  $("status").textContent = end ? `${said}. ${end}` : said;
  analyse();
}

function setGames(list, at = 0) {
  games = list;
  game = games[at];
  node = game.root;
  const chooser = $("games");
  $("choose").hidden = games.length < 2;
  chooser.replaceChildren(
    ...games.map((game, i) => element("option", { value: i, text: `${i + 1}. ${game.title || "Game"}` })),
  );
  chooser.value = String(at);
  engine?.newGame();
  show();
}

/** Writes the moves from here as buttons; the main line first, then what else was played. */
function showMoves() {
  const list = $("moves");
  $("title").textContent = game.title || "Moves";
  $("title").title = game.title;
  if (game.root.children.length === 0) {
    list.replaceChildren(element("p", { class: "empty", text: "No moves yet. Play one on the board, or paste a game below." }));
    return;
  }
  const write = (from, into, isFresh) => {
    // A loop along the line, so that only variations take stack.
    for (let at = from, fresh = isFresh; ; at = at.children[0]) {
      const [main, ...others] = at.children;
      if (!main) return;
      writeMove(main, into, fresh);
      fresh = main.comment !== "" || others.length > 0;
      for (const other of others) {
        const variation = element("span", { class: "variation" });
        writeMove(other, variation, true);
        write(other, variation, other.comment !== "");
        into.append(variation);
      }
    }
  };
  const text = document.createDocumentFragment();
  write(game.root, text, true);
  const result = game.headers.get("Result");
  if (result && result !== "*") text.append(element("span", { class: "result", text: result }));
  list.replaceChildren(text);
  const current = list.querySelector("[aria-current]");
  if (current) {
    // `scrollIntoView` would move the page as well.
    const place = current.offsetTop - list.offsetTop;
    if (place < list.scrollTop || place + current.offsetHeight > list.scrollTop + list.clientHeight) {
      list.scrollTop = place - list.clientHeight / 2;
    }
  } else {
    list.scrollTop = 0;
  }
}

function writeMove(child, into, isFresh) {
  // A number stays on the line of its move.
  const ply = element("span", { class: "ply" });
  if (isFresh || child.parent.position.turn === "white") ply.append(element("span", { class: "number", text: child.number }));
  const button = element("button", { type: "button", text: child.san });
  if (child === node) button.setAttribute("aria-current", "step");
  button.addEventListener("click", () => goTo(child));
  ply.append(button);
  into.append(ply, " ");
  if (child.comment) into.append(element("span", { class: "comment", text: child.comment }), " ");
}

// ---- Engine ----

async function startEngine() {
  if (await isolate()) return;
  const mode = $("mode");
  try {
    engine = await Engine.start({ info: onInfo, end: onEnd, note: onNote, failed: onFailure });
  } catch (error) {
    const reason = error instanceof WebAssembly.CompileError ? "this browser is too old for it (it needs WebAssembly with SIMD)" : error.message;
    mode.textContent = "The engine cannot start";
    mode.classList.add("failed");
    $("note").textContent = `The engine cannot start: ${reason}.`;
    return;
  }
  ready();
}

function ready() {
  const mode = $("mode");
  const { hasThreads } = engine;
  mode.classList.remove("failed");
  mode.classList.add("ready");
  mode.textContent = hasThreads ? `Up to ${cores} ${cores === 1 ? "thread" : "threads"}` : "One thread";
  mode.title = hasThreads ? "" : "The server or the browser does not allow shared memory, which several threads need.";
  $("threads").disabled = !hasThreads;
  if (!hasThreads) $("threads").value = "1";
  $("toggle").disabled = false;
  configure();
  analyse();
}

function configure() {
  if (!engine) return;
  if (engine.hasThreads) engine.setOption("Threads", settings.threads);
  engine.setOption("Hash", settings.hash);
  engine.setOption("MultiPV", settings.multipv);
}

/** Analyzes the position that is shown, or stops if none should be. */
function analyse() {
  infos = [];
  open.clear();
  $("note").textContent = "";
  if (engine) {
    if (isOn && !node.position.isEnd()) engine.analyse(game.root.fen, node.moves);
    else engine.stop();
  }
  const button = $("toggle");
  button.textContent = isOn ? "Stop" : "Analyse";
  button.setAttribute("aria-pressed", String(isOn));
  draw();
}

function toggle() {
  if (!engine) return;
  isOn = !isOn;
  if (isOn) {
    analyse();
    return;
  }
  // What was found stays on the screen.
  engine.stop();
  $("toggle").textContent = "Analyse";
  $("toggle").setAttribute("aria-pressed", "false");
}

function onInfo(info) {
  // A bound says nothing about the moves after the first.
  if (info.isBound && infos[info.rank - 1]) return;
  infos[info.rank - 1] = info;
  if (drawRequested) return;
  drawRequested = true;
  requestAnimationFrame(() => {
    drawRequested = false;
    draw();
  });
}

function onEnd() {
  isOn = false;
  $("toggle").textContent = "Analyse";
  $("toggle").setAttribute("aria-pressed", "false");
}

function onNote(text) {
  $("note").textContent = text;
}

async function onFailure(reason) {
  isOn = false;
  // A table that is too large must not end the engine again.
  settings.hash = HASH_SIZES[0];
  $("hash").value = String(settings.hash);
  $("toggle").disabled = true;
  try {
    engine.setOptionLater("Hash", settings.hash);
    await engine.restart();
    ready();
    $("note").textContent = `The engine ended (${reason}) and was started again.`;
  } catch (error) {
    $("mode").textContent = "The engine has ended";
    $("mode").classList.add("failed");
    $("note").textContent = `The engine has ended: ${error.message}.`;
  }
}

// ---- What the engine has found ----

/** Returns a score as White sees it: `+0.34`, `−1.20` or `#−3`. */
function scoreText({ cp, mate }, turn) {
  const sign = turn === "white" ? 1 : -1;
  const withSign = (value, text) => (value < 0 ? "−" : value > 0 ? "+" : "") + text;
  if (mate !== undefined) return `#${mate * sign < 0 ? "−" : ""}${Math.abs(mate)}`;
  return withSign(Math.sign(Math.round(cp * sign)), (Math.abs(cp) / 100).toFixed(2));
}

/** Returns the chances of White's win, a draw and Black's win, 0 to 1. */
function chancesOf(info, turn) {
  const [win, draw, loss] = info.wdl.map((chance) => chance / 1000);
  return turn === "white" ? [win, draw, loss] : [loss, draw, win];
}

const short = (count) => {
  if (count < 1e4) return String(count);
  const [size, unit] = count < 1e6 ? [1e3, "K"] : count < 1e9 ? [1e6, "M"] : [1e9, "G"];
  const value = count / size;
  return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${unit}`;
};

const timeText = (ms) => {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
};

function draw() {
  const { position } = node;
  const { turn } = position;
  const [best] = infos;
  const end = verdict(position);

  let chances = best ? chancesOf(best, turn) : undefined;
  if (end) chances = position.isCheckmate() ? (turn === "white" ? [0, 0, 1] : [1, 0, 0]) : [0, 1, 0];
  $("score").textContent = end ? (position.isCheckmate() ? "#" : "½") : best ? scoreText(best.score, turn) : "–";
  const percent = (part) => (part === undefined ? "–" : `${Math.round(part * 100)}%`);
  const [white, drawn, black] = chances ?? [];
  $("chances").textContent = end ?? `White ${percent(white)} · draw ${percent(drawn)} · Black ${percent(black)}`;
  $("wdl").querySelector(".w").style.width = `${(white ?? 0) * 100}%`;
  $("wdl").querySelector(".l").style.width = `${(black ?? 0) * 100}%`;
  const share = chances ? white + drawn / 2 : 0.5;
  const bar = $("bar");
  bar.querySelector(".fill").style.transform = `translateY(${(1 - share) * 100}%)`;
  bar.setAttribute("aria-valuenow", String(Math.round(share * 100)));
  bar.setAttribute("aria-valuetext", $("score").textContent);

  $("depth").textContent = best ? `${best.depth}/${best.seldepth}` : "–";
  $("nodes").textContent = best ? short(best.nodes) : "–";
  $("nps").textContent = best ? short(best.nps) : "–";
  $("time").textContent = best ? timeText(best.time) : "–";
  $("hashfull").textContent = best ? `${Math.round(best.hashfull / 10)}%` : "–";
  drawLines();
  drawArrows();
}

function drawLines() {
  const { position } = node;
  let moves = 0;
  for (const to of position.allDests().values()) moves += to.size();
  const count = Math.max(Math.min(settings.multipv, moves), infos.length);
  const list = $("lines");
  while (list.children.length > count) list.lastChild.remove();
  while (list.children.length < count) list.append(element("li"));
  for (let rank = 0; rank < count; rank++) {
    const item = list.children[rank];
    const info = infos[rank];
    const key = info ? `${node.fen} ${scoreText(info.score, position.turn)} ${info.pv.join(" ")}` : "";
    item.classList.toggle("open", open.has(rank));
    // A button that is being pressed must not be replaced without need.
    if (item.dataset.key === key && item.firstChild) continue;
    item.dataset.key = key;
    if (!info) {
      item.replaceChildren(element("b", { text: "–", class: "waiting" }), element("span", { class: "pv" }));
      continue;
    }
    const pv = element("span", { class: "pv" });
    lineOf(position, info.pv).forEach(({ number, san }, i) => {
      if (number) pv.append(`${number} `);
      const button = element("button", { type: "button", text: san, "data-move": i });
      if (i > 0) button.tabIndex = -1;
      pv.append(button, " ");
    });
    item.replaceChildren(element("b", { text: scoreText(info.score, position.turn) }), pv);
  }
}

$("lines").addEventListener("click", (event) => {
  const item = event.target.closest("li");
  if (!item) return;
  const rank = [...item.parentNode.children].indexOf(item);
  const move = event.target.closest("[data-move]")?.dataset.move;
  if (move === undefined) {
    // Elsewhere in the line a click shows all of it.
    if (open.has(rank)) open.delete(rank);
    else open.add(rank);
    item.classList.toggle("open", open.has(rank));
    return;
  }
  let to = node;
  for (const { san } of lineOf(node.position, infos[rank].pv).slice(0, Number(move) + 1)) to = to.play(to.understand(san));
  goTo(to);
});

/** Where a piece of the engine's move arrives: the king, if it castles, stands beside the rook. */
function arrow(uci) {
  const [from, to] = [parseSquare(uci.slice(0, 2)), parseSquare(uci.slice(2, 4))];
  const { board, turn } = node.position;
  const isCastling = board.getRole(from) === "king" && board.getColor(to) === turn;
  const target = isCastling && !isChess960(node.position) ? kingCastlesTo(turn, to > from ? "h" : "a") : to;
  return { orig: makeSquare(from), dest: makeSquare(target) };
}

function drawArrows() {
  const shapes = [];
  if (settings.arrows) {
    for (const [rank, info] of infos.slice(0, settings.multipv).entries()) {
      if (info?.pv[0]) shapes.push({ ...arrow(info.pv[0]), brush: rank === 0 ? "best" : "other" });
    }
  }
  // The best arrow is drawn last, above the others.
  board.setAutoShapes(shapes.reverse());
}

// ---- Controls ----

const step = {
  first: () => goTo(game.root),
  back: () => node.parent && goTo(node.parent),
  forth: () => node.children.length > 0 && goTo(node.children[0]),
  last: () => {
    let to = node;
    while (to.children.length > 0) [to] = to.children;
    goTo(to);
  },
  flip: () => {
    board.toggleOrientation();
    $("bar").classList.toggle("flipped", board.state.orientation === "black");
  },
};
for (const [name, take] of Object.entries(step)) $(name).addEventListener("click", take);

const KEYS = {
  ArrowLeft: step.back,
  ArrowRight: step.forth,
  ArrowUp: step.first,
  ArrowDown: step.last,
  Home: step.first,
  End: step.last,
  f: step.flip,
  " ": toggle,
  "/": () => $("move").focus(),
};
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || $("promotion").open) return;
  if (event.target.closest("input, select, textarea")) return;
  // These keys keep their meaning where the focus gives them one.
  if (event.key === " " && event.target.closest("button, summary")) return;
  if (["ArrowUp", "ArrowDown"].includes(event.key) && !event.target.closest(".play, .moves") && event.target !== document.body) return;
  const act = KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
  if (!act) return;
  event.preventDefault();
  act();
});

$("typed").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = $("move").value;
  if (text.trim() === "") return;
  const move = node.understand(text);
  if (!move) {
    $("moveproblem").textContent = `“${text.trim()}” is not a legal move here.`;
    return;
  }
  $("move").value = "";
  play(move);
});
$("move").addEventListener("keydown", (event) => {
  if (event.key === "Escape") $("move").blur();
});

$("toggle").addEventListener("click", toggle);
$("games").addEventListener("change", () => setGames(games, Number($("games").value)));

function say(text, isFine = false) {
  $("problem").textContent = text;
  $("problem").classList.toggle("fine", isFine);
}

function load() {
  try {
    const { games, faults } = read($("text").value);
    setGames(games);
    say(faults.slice(0, 3).join(" ") + (faults.length > 3 ? ` There are ${faults.length - 3} more faults.` : ""));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    say(error.message);
  }
}
$("load").addEventListener("click", load);
// What is pasted into the empty field is loaded at once.
$("text").addEventListener("paste", () => {
  if ($("text").value.trim() === "") setTimeout(load);
});
$("text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) load();
});

async function copy(text, name) {
  try {
    await navigator.clipboard.writeText(text);
    say(`${name} copied.`, true);
  } catch {
    $("text").value = text;
    $("text").select();
    say(`The browser does not allow copying; the ${name} is in the field above.`, true);
  }
}
$("copyfen").addEventListener("click", () => copy(node.fen, "FEN"));
$("copypgn").addEventListener("click", () => copy(game.pgn, "PGN"));
$("new").addEventListener("click", () => {
  say("");
  $("text").value = "";
  setGames([Game.fromFen()]);
});

$("fischer").addEventListener("submit", (event) => {
  event.preventDefault();
  say("");
  setGames([Game.fromFen(chess960Start(Number($("number").value)))]);
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
  for (const name of ["multipv", "threads", "hash"]) {
    $(name).value = String(settings[name]);
    $(name).addEventListener("change", () => {
      settings[name] = Number($(name).value);
      remember();
      engine?.stop();
      configure();
      analyse();
    });
  }
  $("arrows").checked = settings.arrows;
  $("arrows").addEventListener("change", () => {
    settings.arrows = $("arrows").checked;
    remember();
    drawArrows();
  });
  if (matchMedia("(max-width: 480px)").matches) document.querySelector(".settings").open = false;
}

recall();
fillSettings();
show();
startEngine();
