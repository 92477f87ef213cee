// What every page shares: words, requests, pieces drawn, a toast. The page works without it.
export const words = JSON.parse(document.getElementById("strings").textContent);
document.documentElement.classList.add("scripted");

export function say(name, params = {}) {
  return (words[name] ?? name).replace(/%\((\w+)\)s/g, (_, key) => params[key] ?? "");
}

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

let toastTimer = 0;
export function toast(text, stay = 4000) {
  const place = document.getElementById("toast");
  place.textContent = text;
  clearTimeout(toastTimer);
  if (stay) toastTimer = setTimeout(() => { place.textContent = ""; }, stay);
}

export class Refused extends Error {
  constructor(status, error) { super(error.sentence); this.status = status; this.code = error.code; this.detail = error.detail; }
}

export async function ask(url, method = "GET", body = undefined) {
  const options = { method, headers: { Accept: "application/json" }, cache: "no-store" };
  if (body instanceof FormData) options.body = body;
  else if (body !== undefined) { options.body = JSON.stringify(body); options.headers["Content-Type"] = "application/json"; }
  let answer;
  try { answer = await fetch(url, options); } catch { throw new Refused(0, { code: "OFFLINE", sentence: say("offline") }); }
  if (answer.status === 204) return null;
  let data = null;
  try { data = await answer.json(); } catch { /* not JSON: said below */ }
  if (!answer.ok) throw new Refused(answer.status, data?.error ?? { code: "FAILED", sentence: say("failed") });
  return data;
}

export const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) => b.toString(16).padStart(2, "0")).join("");
export const signed = (points) => (points < 0 ? "−" : "+") + Math.abs(points);
export const plain = (points) => String(points).replace("-", "−");

const SHAPES = { r: "●", b: "■", y: "▲", k: "◆", S: "♠", H: "♥", D: "♦", C: "♣" };
const PIECE = /(\*=)?\b([rbyk](?:1[0-3]|[1-9])|(?:10|[2-9AJQK])[SHDC])\b(?:@\S+)?|(?<=^|\s)\*(?=$|\s)/g;

export function nameOf(code) {
  if (code.startsWith("*")) return code.includes("=") ? say("joker_as", { piece: nameOf(code.split("=")[1]) }) : say("joker");
  if (code === "back") return say("face_down");
  if (code === "?") return say("not_read");
  const tile = "rbyk".includes(code[0]);
  const colour = tile ? code[0] : code.at(-1);
  return `${tile ? code.slice(1) : code.slice(0, -1)} ${words.colours[colour] ?? ""}`;
}

/** A piece as `pictures.py` draws it; `tag` button for one that can be tapped. */
export function piece(code, tag = "span", attributes = {}) {
  const bare = code.split("@")[0];
  const joker = bare.startsWith("*");
  const face = joker ? bare.split("=")[1] ?? "" : bare;
  let kind = "odd", top = "?", below = "";
  if (bare === "back") top = "▒";
  else if (joker && !face) [kind, top, below] = ["joker", "★", "J"];
  else if (/^[rbyk]\d/.test(face)) [kind, top, below] = [face[0], face.slice(1), words.letters[face[0]] + SHAPES[face[0]]];
  else if (/[SHDC]$/.test(face)) [kind, top, below] = [face.at(-1).toLowerCase() + "c", face.slice(0, -1), SHAPES[face.at(-1)]];
  const { class: more = "", ...rest } = attributes;
  const role = tag === "button" ? { type: "button" } : { role: "img" };
  return make(tag, { class: `piece p-${kind} ${more}`, "aria-label": nameOf(bare), ...role, ...rest },
    make("b", { "aria-hidden": "true" }, top), make("small", { "aria-hidden": "true" }, below),
    joker && face ? make("i", { class: "star", "aria-hidden": "true" }, "★") : null);
}

export function pieces(codes) { return make("span", { class: "pieces" }, ...codes.map((code) => piece(code))); }

/** Parts of the server ({text} or {pieces}) as nodes. */
export function parts(list) { return list.map((part) => (part.pieces ? pieces(part.pieces) : part.text)); }

/** A sentence with the notation in it drawn. */
export function rich(sentence) {
  const nodes = [];
  let at = 0;
  for (const hit of sentence.matchAll(PIECE)) {
    if (hit.index > at) nodes.push(sentence.slice(at, hit.index));
    nodes.push(piece(hit[0]));
    at = hit.index + hit[0].length;
  }
  nodes.push(sentence.slice(at));
  return nodes;
}

export function linesOf(entry) {
  return make("ul", { class: "lines" }, ...entry.lines.map((line) => make("li", {},
    make("span", { class: "what" }, ...parts(line.parts)),
    make("span", { class: `number ${line.points < 0 ? "minus" : ""}` }, signed(line.points)))));
}

for (const control of document.querySelectorAll("[data-submit]")) control.addEventListener("change", () => control.form.requestSubmit());
const print = document.getElementById("print");
if (print) { print.hidden = false; print.addEventListener("click", () => window.print()); }
