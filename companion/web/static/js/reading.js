// A photo that was read: the picture with its melds outlined, the verdict, questions, and every piece to be put right.
import { ask, make, nameOf, piece, pieces, plain, rich, say, toast } from "./common.js";
import { compose, pad, sheet } from "./pad.js";

const SVG = "http://www.w3.org/2000/svg";
function draw(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value); else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/**
 * Shows a table in `place`. `about`: {game, as, match}; `kind`: tile or card; `actions(table, view)`: nodes under it;
 * `changed(table)` after every judgement.
 */
export class Reading {
  constructor(place, about, kind, { actions = () => [], changed = () => {} } = {}) {
    Object.assign(this, { place, about, kind, actions, changed });
    this.edits = [];
    this.taps = 0;
  }

  async photo(file) {
    const form = new FormData();
    form.append("photo", file, "photo");
    for (const [name, value] of Object.entries(this.about)) if (value) form.append(name, value);
    this.place.replaceChildren(make("p", { class: "card", role: "status" }, say("reading"), make("progress", { "aria-label": say("reading") })));
    try {
      const table = await ask("/api/read", "POST", form);
      this.scene = table.read;
      this.url = table.photo;
      this.edits = [];
      this.show(table);
      this.place.scrollIntoView({ block: "start", behavior: "instant" });
      return true;
    } catch (error) {
      this.place.replaceChildren(make("p", { class: "fault", role: "alert" }, error.message));
      return false;
    }
  }

  async edit(...edits) {
    const tried = [...this.edits, ...edits];
    try {
      const table = await ask("/api/table", "POST", { ...this.about, scene: this.scene, edits: tried });
      this.edits = tried;
      this.taps += 1;
      this.show(table);
    } catch (error) { toast(error.message); }
  }

  async undo() { const kept = this.edits.slice(0, -1); this.edits = kept; await this.edit(); }

  codeOf(n) {
    for (const meld of this.table.melds) if (meld.pieces.includes(n)) return meld.faces[meld.pieces.indexOf(n)];
    return this.table.scene.pieces[n].code;
  }

  show(table) {
    this.table = table;
    const asked = new Set(table.questions.map((question) => question.piece));
    this.asked = asked;
    const blocks = [...this.remarks(), this.verdict(), ...this.questions(), this.picture(), ...table.melds.map((meld, n) => this.meld(meld, n)),
      this.others("loose", table.loose), this.others("rack", table.rack), this.arrangement(), ...this.actions(table, this)];
    const focus = document.activeElement?.dataset?.piece;
    this.place.replaceChildren(make("section", { class: "card reading", "data-taps": String(this.taps) }, ...blocks.filter(Boolean)));
    if (focus) this.place.querySelector(`button[data-piece="${focus}"]`)?.focus();
    this.changed(table);
  }

  picture() {
    const { scene, melds, removed } = this.table;
    const points = (list) => list.map((point) => point.join(",")).join(" ");
    const canvas = draw("svg", { viewBox: `0 0 ${scene.width} ${scene.height}`, preserveAspectRatio: "none", role: "group" });
    melds.forEach((meld) => {
      if (meld.pieces.length < 2) return;
      canvas.append(draw("polygon", { points: points(meld.outline), class: "meld-line" }), draw("polygon", { points: points(meld.outline), class: `meld-line inner ${meld.verdict.ok ? "ok" : "no"}` }));
    });
    scene.pieces.forEach((one, n) => {
      if (removed.includes(n)) return;
      canvas.append(draw("polygon", { points: points(one.quad), class: `face ${this.asked.has(n) ? "asked" : ""}`, tabindex: "-1", onclick: () => this.touch(n) }));
    });
    const size = Math.max(scene.width, scene.height) / 42;
    melds.forEach((meld, n) => {
      if (meld.pieces.length < 2) return;
      const left = Math.min(...meld.outline.map((p) => p[0])), top = Math.min(...meld.outline.map((p) => p[1]));
      const words = `${n + 1} ${meld.verdict.ok ? "✓" : "✗"} ${meld.verdict.ok ? meld.verdict.value || "" : say("not_legal")}`.trim();
      const y = Math.max(size * 1.4, top - size * 0.2), width = size * 0.62 * (words.length + 1);
      const x = Math.min(Math.max(0, left), Math.max(0, scene.width - width));
      const text = draw("text", { x: x + size * 0.4, y: y - size * 0.35, "font-size": size });
      text.textContent = words;
      canvas.append(draw("g", { class: "label" }, draw("rect", { x, y: y - size * 1.4, width, height: size * 1.5, rx: size * 0.3 }), text));
    });
    return make("div", { class: "view" }, make("img", { src: this.url, alt: "", width: scene.width, height: scene.height, onerror: (event) => { event.target.hidden = true; } }), canvas);
  }

  remarks() { return this.table.remarks.map((remark) => make("p", { class: "warning" }, remark.sentence)); }

  verdict() {
    const { total, need } = this.table;
    if (!total || (this.about.as === "table" && !this.table.questions.length)) return null;
    const kind = this.table.questions.length ? "ask" : total.ok ? "ok" : "no";
    const sign = { ask: "? ", ok: "✓ ", no: "✗ " }[kind];
    const box = make("div", { class: `verdict ${kind}`, role: "status" }, make("p", { class: "answer" }, sign, ...rich(kind === "ask" ? this.table.asks : kind === "no" && total.faults.length ? total.faults[0].sentence : total.sentence)));
    if (need) {
      box.append(make("p", { class: "sum" }, say("of_needed", { value: plain(total.value), need })),
        make("progress", { max: need, value: Math.min(need, Math.max(0, total.value)), "aria-label": say("sum") }));
    } else if (total.value) box.append(make("p", { class: "sum" }, `${say("sum")}: ${plain(total.value)}`));
    if (kind === "ask") box.append(make("p", {}, say("so_far")));
    if (kind === "no") box.append(...total.faults.slice(1).map((fault) => make("p", {}, ...rich(fault.sentence))));
    return box;
  }

  questions() {
    return this.table.questions.slice(0, 8).map((question, n) => make("div", { class: "question", "data-question": String(n) },
      make("p", {}, ...rich(question.sentence)), this.cut(question.quad),
      make("div", { class: "rowtools" }, ...question.answers.map((code) => piece(code, "button", { "data-answer": code, onclick: () => this.edit({ do: "answer", question: n, code }) })),
        make("button", { type: "button", class: "small", onclick: () => this.touch(question.piece) }, say("other")))));
  }

  /** The doubted piece cut out of the picture. */
  cut(quad) {
    const canvas = make("canvas", { width: "84", height: "112", role: "img", "aria-label": say("what_is_it") });
    const image = this.place.querySelector("img") ?? Object.assign(new Image(), { src: this.url });
    const paint = () => {
      const ratio = image.naturalWidth / this.table.scene.width;
      const xs = quad.map((p) => p[0]), ys = quad.map((p) => p[1]);
      const [left, top] = [Math.min(...xs), Math.min(...ys)], [wide, high] = [Math.max(...xs) - left, Math.max(...ys) - top];
      const grow = 0.18 * Math.max(wide, high);
      canvas.width = Math.max(20, Math.round(112 * (wide + 2 * grow) / (high + 2 * grow)));
      canvas.getContext("2d").drawImage(image, (left - grow) * ratio, (top - grow) * ratio, (wide + 2 * grow) * ratio, (high + 2 * grow) * ratio, 0, 0, canvas.width, 112);
    };
    if (image.complete && image.naturalWidth) paint(); else image.addEventListener("load", paint, { once: true });
    return canvas;
  }

  buttonsOf(list) {
    return make("span", { class: "pieces" }, ...list.map((n) => piece(this.codeOf(n), "button", { class: this.asked.has(n) ? "asked" : "", "data-piece": String(n), onclick: () => this.touch(n) })));
  }

  meld(meld, n) {
    const add = make("button", { type: "button", class: "adder", "aria-label": `${say("add")}: ${say("meld", { number: n + 1 })}`, onclick: () => this.add(n) }, "+");
    return make("div", { class: `meld ${meld.verdict.ok ? "ok" : "no"}`, "data-meld": String(n) },
      make("span", { class: "head" }, make("strong", {}, `${say("meld", { number: n + 1 })}: ${say(meld.verdict.ok ? "legal" : "not_legal")}`), make("span", { class: "number" }, meld.verdict.value ? `${plain(meld.verdict.value)} ${say("points")}` : "")),
      this.buttonsOf(meld.pieces), add,
      meld.verdict.ok ? null : make("p", { class: "why" }, ...rich(meld.verdict.sentence)),
      ...meld.remarks.map((remark) => make("p", { class: "why quiet" }, ...rich(remark))));
  }

  others(word, list) {
    if (!list.length) return null;
    return make("div", { class: "meld" }, make("span", { class: "head" }, make("span", {}, say(word))), this.buttonsOf(list));
  }

  arrangement() {
    const found = this.table.arrangement;
    if (!found) return null;
    return make("div", { class: "verdict" }, make("p", {}, ...rich(found.sentence)), ...found.melds.map((meld) => make("p", {}, pieces(typeof meld.pieces === "string" ? meld.pieces.split(" ") : meld.pieces.map((one) => (typeof one === "number" ? this.codeOf(one) : one))))));
  }

  async add(meld) {
    const codes = await compose(say("add"), this.kind, []);
    if (codes.length) await this.edit(...codes.map((code) => ({ do: "add", code, meld, ...(meld === null ? {} : { position: this.table.melds[meld].pieces.length + codes.indexOf(code) }) })));
  }

  /** One tap opens this; the second tap puts the piece right. */
  touch(n) {
    const one = this.table.scene.pieces[n];
    const seen = new Set([one.code, this.codeOf(n)]);
    const likely = one.alternatives.map(([code]) => code).filter((code) => !seen.has(code)).slice(0, 4);
    const mine = this.table.melds.findIndex((meld) => meld.pieces.includes(n));
    sheet(`${say("what_is_it")} ${nameOf(this.codeOf(n))}`, (body, close) => {
      const done = (...edits) => { close(); this.edit(...edits); };
      body.append(this.cut(one.quad),
        make("div", { class: "soon" }, ...likely.map((code) => piece(code, "button", { "data-likely": code, onclick: () => done({ do: "change", piece: n, code }) }))),
        pad(this.kind, (code) => done({ do: "change", piece: n, code }), { back: true }),
        make("div", { class: "rowtools" },
          make("button", { type: "button", onclick: () => done({ do: "remove", piece: n }) }, say("remove")),
          ...this.table.melds.map((meld, at) => (at === mine ? null : make("button", { type: "button", onclick: () => done({ do: "move", pieces: [n], meld: at, position: meld.pieces.length }) }, say("to_meld", { number: at + 1 })))).filter(Boolean),
          make("button", { type: "button", onclick: () => done({ do: "move", pieces: [n], meld: null, position: 0 }) }, say("to_new_meld"))));
    });
  }
}

