// A keypad of pieces and the builder of melds that stands in for a text field.
import { make, piece, say } from "./common.js";

const TILES = ["r", "b", "y", "k"].map((c) => Array.from({ length: 13 }, (_, n) => c + (n + 1)));
const CARDS = ["S", "H", "D", "C"].map((s) => ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"].map((r) => r + s));

/** A modal with a title; `fill(body, close)` puts things in. Resolves when it is closed. */
export function sheet(title, fill) {
  return new Promise((resolve) => {
    const dialog = make("dialog", { "aria-label": title });
    const close = () => dialog.close();
    const body = make("div");
    dialog.append(make("h2", {}, make("span", {}, title), make("button", { type: "button", class: "small", onclick: close }, say("close"))), body);
    dialog.addEventListener("close", () => { dialog.remove(); resolve(); });
    dialog.addEventListener("click", (event) => { if (event.target === dialog) close(); });
    document.body.append(dialog);
    fill(body, close);
    dialog.showModal();
  });
}

export function pad(kind, choose, { joker = true, back = false } = {}) {
  const rows = kind === "tile" ? TILES : CARDS;
  const last = [joker ? "*" : null, back ? "back" : null].filter(Boolean);
  return make("div", { class: "pad" },
    ...rows.map((row) => make("div", { class: "pad-row" }, ...row.map((code) => piece(code, "button", { onclick: () => choose(code), "data-code": code })))),
    last.length ? make("div", { class: "pad-row" }, ...last.map((code) => piece(code, "button", { onclick: () => choose(code), "data-code": code }))) : null);
}

/** Tap pieces together into one row; resolves with the new codes. */
export async function compose(title, kind, codes, options = {}) {
  const row = [...codes];
  await sheet(title, (body, close) => {
    const laid = make("div", { class: "laid", "aria-live": "polite" });
    const draw = () => laid.replaceChildren(...row.map((code, n) => piece(code, "button", {
      "aria-label": undefined, title: say("remove"), onclick: () => { row.splice(n, 1); draw(); } })));
    draw();
    body.append(laid, pad(kind, (code) => { row.push(code); draw(); if (options.one) close(); }, options),
      make("div", { class: "buttons" },
        make("button", { type: "button", onclick: () => { row.pop(); draw(); } }, say("delete_last")),
        make("button", { type: "button", class: "main", onclick: close }, say("done"))));
  });
  return options.one ? row.slice(-1) : row;
}

/** Tapping one piece of a row: change it, move it, remove it, say who laid it. Resolves with the new row. */
export async function retouch(kind, codes, at, options = {}) {
  const row = [...codes];
  await sheet(say("what_is_it"), (body, close) => {
    const [code, by] = row[at].split("@");
    const tools = make("div", { class: "rowtools" },
      make("button", { type: "button", onclick: () => { row.splice(at, 1); close(); } }, say("remove")),
      at > 0 ? make("button", { type: "button", onclick: () => { [row[at - 1], row[at]] = [row[at], row[at - 1]]; close(); } }, say("left")) : null,
      at < row.length - 1 ? make("button", { type: "button", onclick: () => { [row[at + 1], row[at]] = [row[at], row[at + 1]]; close(); } }, say("right")) : null);
    body.append(pad(kind, (chosen) => { row[at] = by ? `${chosen}@${by}` : chosen; close(); }, options), tools);
    if (options.players?.length) {
      body.append(make("p", {}, say("laid_by")), make("div", { class: "rowtools" }, ...options.players.map((player) => make("button", {
        type: "button", "aria-pressed": String(by === player.id || (!by && player.own)),
        onclick: () => { row[at] = player.own ? code : `${code}@${player.id}`; close(); } }, player.name))));
    }
  });
  return row;
}

/** Buttons for the rows of pieces in a text field; `many` rows are parted by new lines. */
export function builder(place, field, { kind, many, options = {}, label, changed = () => {} }) {
  field.classList.add("has-builder");
  const labelElement = place.ownerDocument.querySelector(`label[for="${field.id}"]`);
  const rowsOf = () => (many ? field.value.replaceAll("/", "\n").split("\n") : [field.value]).map((row) => row.trim().split(/\s+/).filter(Boolean)).filter((row) => row.length || !many);
  const store = (rows) => { field.value = rows.map((row) => row.join(" ")).filter((row) => row || !many).join("\n"); draw(); changed(); };
  function rowOf(row, number, rows) {
    const put = (fresh) => { const all = [...rows]; all[number] = fresh; store(all); };
    return make("div", { class: "meld" },
      make("span", { class: "pieces" },
        ...row.map((code, at) => piece(code, "button", { onclick: async () => put(await retouch(kind, row, at, options)) })),
        make("button", { type: "button", class: "adder", "aria-label": `${say("add")}: ${label} ${many ? number + 1 : ""}`, onclick: async () => put(await compose(label, kind, row, options)) }, "+")));
  }
  function draw() {
    const rows = rowsOf();
    place.replaceChildren(
      make("div", { role: "group", "aria-label": label }, make("p", { class: "plain" }, make("strong", {}, label)),
        ...rows.map(rowOf),
        many ? make("button", { type: "button", class: "small add-meld", onclick: async () => store([...rows, await compose(say("add_meld"), kind, [], options)]) }, `+ ${say("add_meld")}`) : null));
  }
  if (labelElement) labelElement.classList.add("has-builder");
  draw();
  return { draw, set: (rows) => store(rows), rows: rowsOf };
}
