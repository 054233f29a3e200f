// Short ways to reach and make elements.

/** Returns the element of an id. */
export const $ = (id) => document.getElementById(id);

/** Creates an element with text, attributes and children. */
export function element(tag, { text = "", ...attributes } = {}, ...children) {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Creates an SVG element with attributes. */
export function drawn(tag, attributes = {}) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}
