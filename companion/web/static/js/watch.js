// The table as the camera sees it now: a stream of states, polling where there is none, the picture anew when it breaks.
import { ask, make, pieces, plain, say, toast } from "./common.js";

const place = document.getElementById("watch");
const picture = document.getElementById("camera-picture");
const set = (id, text) => { const node = document.getElementById(id); if (node.textContent !== text) node.textContent = text; };
let source = null, poll = 0;

function meldLine(meld) {
  const badge = !meld.decided ? say("doubtful") : meld.verdict.ok ? "" : say("not_legal");
  return make("li", { class: `meld ${meld.verdict.ok ? "ok" : "no"}` }, pieces(meld.faces), badge ? make("span", { class: "badge" }, badge) : null);
}
const lain = (melds) => make("ul", { class: "lain" }, ...(melds.length ? melds.map(meldLine) : [make("li", { class: "quiet" }, say("nothing_laid"))]));

function draw(state) {
  const camera = document.getElementById("camera");
  camera.className = `camera ${state.camera.state}`;
  set("camera-words", state.camera.sentence);
  set("looking", state.camera.state === "open" ? state.looking.sentence : "");
  const agreement = document.getElementById("agreement");
  agreement.className = `agreement ${state.agreement?.state ?? ""}`;
  set("agreement", state.agreement?.sentence ?? "");
  document.getElementById("differences").replaceChildren(...(state.agreement?.differences ?? []).map((one) => make("div", { class: "warning difference" },
    make("strong", {}, one.player),
    ...["seen", "scored"].flatMap((side) => (one[side].length ? [make("span", {}, say(`only_${side}`)), ...one[side].map((meld) => pieces(meld.split(" ")))] : [])))));
  const questions = document.getElementById("questions");
  questions.hidden = !state.questions;
  set("questions", say("open_questions", { count: state.questions }));
  const seats = state.players.map((one) => make("div", { class: "seat", "data-player": one.id },
    make("h3", {}, make("span", {}, one.name), make("span", { class: "number" }, say("points_on_table", { points: plain(one.points) }))),
    lain(one.melds),
    one.rack ? make("p", { class: "quiet" }, say("on_rack", { count: one.rack })) : null));
  if (state.melds.length || !state.players.length) seats.push(lain(state.melds));
  document.getElementById("seats").replaceChildren(...seats);
  picture?.classList.toggle("stale", state.camera.state !== "open");
}

// a picture that never ends would keep the page from having loaded: it comes afterwards
const anew = () => { if (picture) picture.src = `${picture.dataset.src}?${Date.now()}`; };
picture?.addEventListener("error", () => setTimeout(anew, 3000));

function listen() {
  source?.close();
  source = new EventSource(place.dataset.events);
  let broken = false;
  source.onopen = () => { clearInterval(poll); poll = 0; toast(""); if (broken) anew(); broken = false; };
  source.onmessage = (event) => draw(JSON.parse(event.data));
  source.onerror = () => {
    broken = true;
    if (source.readyState === EventSource.CLOSED) { poll ||= setInterval(look, 2000); setTimeout(listen, 15000); } else toast(say("offline"), 0);
  };
}
async function look() { try { draw(await ask(place.dataset.poll)); } catch { toast(say("offline"), 0); } }
document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") { look(); listen(); anew(); } });
addEventListener("pagehide", () => source?.close());
draw(JSON.parse(place.dataset.state));
listen();
if (document.readyState === "complete") anew(); else addEventListener("load", anew);
