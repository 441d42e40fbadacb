/** @import { Refusal, SiteState, StartedStream } from './types' */
import { PlaybackSession } from './playback-session.mjs';
import { codeOf, Player } from './player.mjs';
import { element, show, showRefusal, showSession, showStreams, showViewer } from './view.mjs';
import { reasonOf } from './words.mjs';

const pollMilliseconds = 2000;
const video = element('video', HTMLVideoElement);
const player = new Player(video);

/** @type {SiteState} */
let state = { viewers: [], viewer: null, streams: [] };
/** @type {{ number: number, viewerId: string, playback: PlaybackSession } | undefined} */
let current;
/** @type {number | null | undefined} */
let limit;

/**
 * Calls the site's own backend.
 * @param {'GET' | 'POST'} method
 * @param {string} path
 * @param {object} [body]
 */
async function ask(method, path, body = {}) {
  /** @type {RequestInit} */
  const post = { method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(path, method === 'GET' ? {} : post);
  const text = await response.text();
  return { ok: response.ok, answer: text === '' ? undefined : JSON.parse(text) };
}

async function refresh() {
  const { playback, viewerId, number } = current ?? {};
  const { ok, answer } = await ask('GET', '/api/state');
  if (!ok) return;
  state = /** @type {SiteState} */ (answer);
  render();
  // Gone from the list: a renewal says why.
  if (viewerId === state.viewer?.id && !state.streams.some((stream) => stream.number === number)) {
    await playback?.renew();
  }
}

function render() {
  showViewer(state, logIn);
  showSession(current);
  showStreams(state.streams, { ownNumber: current?.number, limit, onStop: stopThere });
}

/** @param {string} viewerId */
async function logIn(viewerId) {
  limit = undefined;
  await ask('POST', '/api/login', { viewer: viewerId });
  await refresh();
  element('play', HTMLButtonElement).focus();
}

async function logOut() {
  await stop('Stopped.');
  await ask('POST', '/api/logout');
  showRefusal(undefined);
  await refresh();
}

async function play() {
  const viewerId = state.viewer?.id;
  if (viewerId === undefined) return;
  element('play', HTMLButtonElement).disabled = true;
  showRefusal(undefined);
  show('status', 'Asking whether you may watch …');
  const { ok, answer } = await ask('POST', '/api/streams');
  if (!ok) {
    const refusal = /** @type {Refusal} */ (answer);
    limit = refusal.limit ?? limit;
    show('status', 'Not playing.');
    showRefusal(refusal);
    await refresh();
    return;
  }
  const { number, session } = /** @type {StartedStream} */ (answer);
  limit = session.policy.maximumConcurrentStreams;
  const playback = new PlaybackSession(session, (code) => void endWith(reasonOf(code)));
  current = { number, viewerId, playback };
  render();
  try {
    await player.play(playback, fail);
    if (current?.playback === playback) show('status', 'Playing.');
    await refresh();
  } catch (error) {
    if (current?.playback === playback) fail(error);
  }
}

/** @param {unknown} error */
function fail(error) {
  const code = codeOf(error);
  void current?.playback.release();
  void endWith(reasonOf(code));
}

/** @param {string} text */
async function stop(text) {
  const { playback } = current ?? {};
  await playback?.release();
  if (playback !== undefined) await endWith(text);
}

/**
 * Playback is over; the reason stands on the page.
 * @param {string} text
 */
async function endWith(text) {
  current = undefined;
  show('status', text);
  render();
  await player.stop();
  await refresh();
}

/** @param {number} number */
async function stopThere(number) {
  if (number === current?.number) await stop('Stopped. Your stream is free for another screen.');
  else await ask('POST', `/api/streams/${number}/stop`);
  await refresh();
}

async function poll() {
  try {
    await refresh();
  } catch {
    show('status', reasonOf('service_unavailable'));
  }
  setTimeout(poll, pollMilliseconds);
}

element('play', HTMLButtonElement).addEventListener('click', () => void play());
element('stop', HTMLButtonElement).addEventListener('click', () => {
  void stop('Stopped. Your stream is free for another screen.');
});
element('log-out', HTMLButtonElement).addEventListener('click', () => void logOut());
video.addEventListener('ended', () => void stop('The clip has ended. Your stream is free for another screen.'));
// Back from the browser's cache: the session was released when the page went away.
addEventListener('pageshow', (event) => event.persisted && location.reload());
setInterval(() => showSession(current), 1000);
void poll();
