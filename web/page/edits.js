// What was changed in the moves of a game, so that it can be undone.

/** Changes of the game that is shown, the last one at the end. */
export class Edits {
  /** For each change, what undoes it and returns the position to show then. */
  #undoing = [];

  get isEmpty() {
    return this.#undoing.length === 0;
  }

  /** Forgets all changes: another game is shown. */
  forget() {
    this.#undoing = [];
  }

  /** Calls `change`, which may add moves behind a position, and returns what it returns. */
  adding(node, change) {
    const before = [...node.children];
    const result = change();
    if (node.children.length > before.length) {
      this.#undoing.push(() => {
        node.children = node.children.filter((child) => before.includes(child));
        return node;
      });
    }
    return result;
  }

  /** Removes a move and everything behind it. Returns the position before it. */
  remove(node) {
    const { parent } = node;
    const at = parent.children.indexOf(node);
    parent.children.splice(at, 1);
    this.#undoing.push(() => {
      parent.children.splice(at, 0, node);
      return node;
    });
    return parent;
  }

  /** Undoes the last change. Returns the position to show; undefined if there was none. */
  undo() {
    return this.#undoing.pop()?.();
  }
}
