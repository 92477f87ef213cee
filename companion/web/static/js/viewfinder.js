// The phone's camera live: a frame goes up, outlines and the verdict come back over the picture; one tap freezes.
import { ask, Refused, say } from "./common.js";
import { Reading } from "./reading.js";

const LONG_SIDE = 1280, QUALITY = 0.8;
const LEAST_MS = 120; // between two frames, so that a phone on its battery rests a little
const form = document.getElementById("viewfinder");
const video = document.getElementById("video");
const [over, state, verdict, fault, freeze, again, live, frozen] = ["over", "state", "live-verdict", "fault", "freeze", "again", "live", "frozen"].map((id) => document.getElementById(id));
const games = JSON.parse(form.dataset.games);
const match = form.dataset.match ? JSON.parse(form.dataset.match) : null;
const canvas = document.createElement("canvas");
let stream = null, session = "", turn = 0;

const about = () => ({ game: form.elements.game.value, as: form.elements.as.value, match: match?.game === form.elements.game.value ? match.id : "" });
const kind = () => games.find((game) => game.name === form.elements.game.value).pieces;
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const tell = (text) => { if (state.textContent !== text) state.textContent = text; };

function fail(text) {
  fault.textContent = text;
  for (const node of [fault, again]) node.hidden = !text;
  for (const node of [document.getElementById("finder"), freeze]) node.hidden = Boolean(text);
}

const WHY = { NotAllowedError: "denied", SecurityError: "denied", NotFoundError: "no_camera", OverconstrainedError: "no_camera", NotReadableError: "in_use", AbortError: "in_use" };
async function open() {
  close();
  fail("");
  tell(say("starting"));
  const mine = ++turn;
  try {
    const video_ = { facingMode: { ideal: "environment" }, width: { ideal: 1920 }, height: { ideal: 1080 } };
    const found = await navigator.mediaDevices.getUserMedia({ video: video_, audio: false });
    if (mine !== turn) { for (const track of found.getTracks()) track.stop(); return; }
    stream = found;
    stream.getVideoTracks()[0].addEventListener("ended", () => { if (mine === turn) { close(); fail(say("camera_gone")); } });
    video.srcObject = stream;
    await video.play();
    await run(mine);
  } catch (error) { if (mine === turn) { close(); fail(error instanceof Refused ? error.message : say(WHY[error.name] ?? "camera_gone")); } }
}

function close() {
  turn += 1;
  for (const track of stream?.getTracks() ?? []) track.stop();
  stream = null;
  video.srcObject = null;
  freeze.disabled = true;
  over.replaceChildren();
  verdict.replaceChildren();
  letGo();
}
function letGo() {
  if (session) fetch(`${form.dataset.start}/${session}`, { method: "DELETE", keepalive: true }).catch(() => {});
  session = "";
}

async function grab() {
  const scale = Math.min(1, LONG_SIDE / Math.max(video.videoWidth, video.videoHeight));
  canvas.width = Math.round(video.videoWidth * scale);
  canvas.height = Math.round(video.videoHeight * scale);
  canvas.getContext("2d").drawImage(video, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/jpeg", QUALITY));
}

/** One frame after the other, never two at once: a slow server gets fewer frames, not older ones. */
async function run(mine) {
  while (mine === turn) {
    const start = performance.now();
    if (document.hidden || !video.videoWidth) { await pause(200); continue; }
    try {
      if (!session) session = (await ask(form.dataset.start, "POST", about())).session;
      const blob = await grab();
      if (mine !== turn || !blob) return;
      const found = await send(blob);
      if (mine !== turn) return;
      show(found);
    } catch (error) {
      if (mine !== turn) return;
      if (!(error instanceof Refused)) throw error;
      if (error.code === "NO_VIEWFINDER") session = "";
      else if (["BUSY", "OFFLINE", "TOO_MANY", "ONE_AT_A_TIME"].includes(error.code)) { tell(error.code === "OFFLINE" ? say("offline") : say("slow")); await pause(1000); }
      else throw error;
    }
    await pause(Math.max(0, LEAST_MS - (performance.now() - start)));
  }
}
async function send(blob) {
  let answer;
  try { answer = await fetch(`${form.dataset.start}/${session}/frame`, { method: "POST", body: blob, headers: { Accept: "application/json", "Content-Type": "image/jpeg" }, cache: "no-store" }); } catch { throw new Refused(0, { code: "OFFLINE", sentence: say("offline") }); }
  const data = await answer.json().catch(() => null);
  if (!answer.ok) throw new Refused(answer.status, data?.error ?? { code: "FAILED", sentence: say("failed") });
  return data;
}

function show({ table, looking, frames }) {
  const view = new Reading(document.createElement("div"), about(), kind());
  view.table = table;
  view.asked = new Set(table.questions.map((question) => question.piece));
  const lines = view.picture();
  lines.querySelector("img").remove();
  fit(lines, table.scene);
  over.replaceChildren(lines);
  const some = table.scene.pieces.length > 0;
  const box = some ? view.verdict() : null;
  box?.removeAttribute("role");
  if ((box?.textContent ?? "") !== verdict.textContent) verdict.replaceChildren(...(box ? [box] : []));
  tell(some ? say(`looking_${looking}`) : say("nothing_yet"));
  freeze.disabled = false;
  form.dataset.frames = String(frames);
}
/** Over the picture itself, which the video element may letterbox. */
function fit(lines, scene) {
  const box = video.getBoundingClientRect();
  const scale = Math.min(box.width / scene.width, box.height / scene.height);
  lines.style.width = `${scene.width * scale}px`;
  lines.style.height = `${scene.height * scale}px`;
}

freeze.addEventListener("click", async () => {
  freeze.disabled = true;
  try {
    const table = await ask(`${form.dataset.start}/${session}/freeze`, "POST", {});
    session = "";
    close();
    const reading = new Reading(document.getElementById("reading"), about(), kind());
    reading.scene = table.read;
    reading.url = table.photo;
    reading.show(table);
    live.hidden = true;
    frozen.hidden = false;
    document.getElementById("on").focus();
  } catch (error) { fail(error.message); freeze.disabled = false; }
});
document.getElementById("on").addEventListener("click", () => { frozen.hidden = true; live.hidden = false; open(); });
again.addEventListener("click", open);
for (const name of ["game", "as"]) form.elements[name].addEventListener("change", () => { if (frozen.hidden) letGo(); });
form.addEventListener("submit", (event) => event.preventDefault());
addEventListener("pagehide", close);
addEventListener("pageshow", (event) => { if (event.persisted && frozen.hidden) open(); });

if (window.isSecureContext && navigator.mediaDevices?.getUserMedia) {
  document.getElementById("insecure").hidden = true;
  form.hidden = false;
  open();
}
