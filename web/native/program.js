// In the place of ../page/program.js: the engine is the program that serves the page, and its lines
// come and go by WebSocket.

/** Whether several threads may be used. */
export const hasThreads = true;

/** There is nothing to download. */
export const load = async () => ({});

/** As the function of the same name in ../page/program.js. */
export const start = (_, to) => new Conversation("engine", to);

/**
 * As the function of the same name in ../page/program.js; the only arguments are those of a review, of
 * the reviews of a file, and of a report.
 */
export function run(_, [task, file, ...args], text, to) {
  const [nodes, hash, threads] = ["--nodes", "--hash", "--threads"].map((name) => args[args.indexOf(name) + 1]);
  const path = task === "reviews" ? `/${file.split("/").map(encodeURIComponent).join("/")}` : "";
  const conversation = new Conversation(task === "report" ? task : `${task}/${nodes}/${hash}/${threads}${path}`, to);
  conversation.send(text);
  return conversation;
}

/** A process of the program. Whatever is sent before the connection stands waits for it. */
class Conversation {
  #socket;
  #waiting = [];

  constructor(name, to) {
    const address = new URL(name, import.meta.url);
    address.protocol = "ws:";
    this.#socket = new WebSocket(address);
    this.#socket.onopen = () => this.#waiting.splice(0).forEach((line) => this.#socket.send(line));
    this.#socket.onmessage = ({ data }) => to.line(data);
    this.#socket.onclose = ({ code, reason }) => {
      if (code === 1000 && to.ended) to.ended();
      else to.failed(reason || "the program on this machine cannot be reached");
    };
  }

  send(line) {
    if (this.#socket.readyState === WebSocket.CONNECTING) this.#waiting.push(line);
    else this.#socket.send(line);
  }

  /** Ends the process without a word. */
  end() {
    this.#socket.onmessage = this.#socket.onclose = null;
    this.#socket.close();
  }
}
