/** @import { Refusal, SiteState, StartedStream } from './types' */
import { readAudience } from './audience.mjs';
import { ask } from './backend.mjs';
import { readEvents, showEventsOf } from './last-events.mjs';
import { forgetStream, rememberStream, streamBeforeReload } from './reload.mjs';
import { sandboxSubject } from './sandbox.mjs';
import { Stream } from './stream.mjs';
import { showRefusal, showStreams } from './stream-lists.mjs';
import { chooseTitle, chosenTitle, onOtherTitle, showTitles } from './titles.mjs';
import { element, keepFocus, show, showSession, showViewer } from './view.mjs';
import { loggedOutInWords, reasonOf } from './words.mjs';

/** How often the page reads the state, in milliseconds; `?poll=` overrides it. */
const pollMilliseconds = Number(new URLSearchParams(location.search).get('poll') ?? 2000);
const freed = 'Your stream is free for another screen.';
const video = element('video', HTMLVideoElement);
const repeat = element('repeat', HTMLInputElement);

/** @type {SiteState} */
let state = { viewers: [], titles: [], viewer: null, streams: [], limit: null };
/** @type {Stream | undefined} */
let current;
/** @type {Refusal | undefined} */
let refusal;
let starting = false;
/** Whether this tab is logging in or out itself. */
let changingViewer = false;
/** Counts reads and actions, so that an outdated response can be ignored. */
let turn = 0;

async function refresh() {
  turn += 1;
  const asked = turn;
  const { ok, answer } = await ask('GET', '/api/state');
  if (asked !== turn || changingViewer) return;
  show('connection', ok ? '' : reasonOf('service_unavailable'));
  if (!ok) return;
  const before = state.viewer;
  state = /** @type {SiteState} */ (answer);
  // The tabs of a browser share the login, and another tab has changed it.
  if (before !== null && before.id !== state.viewer?.id) {
    refusal = undefined;
    show('notice', loggedOutInWords(state.viewer));
    await end('Not playing.');
    return;
  }
  if (refusal?.limit !== undefined && state.streams.length < refusal.limit) {
    refusal = undefined;
    show('status', 'A stream is free now. Press Play.');
  }
  render();
  // The stream is no longer listed: a renewal returns the reason.
  if (current !== undefined && ownStream() === undefined) await current.keeper.renew();
}

function ownStream() {
  return state.streams.find(({ number }) => number === current?.number);
}

function renderSession() {
  showSession(current, { starting, stream: ownStream() });
}

function render() {
  showViewer(state, (viewerId) => void logIn(viewerId));
  showTitles(state.titles);
  renderSession();
  showEventsOf(state.viewer?.id);
  keepFocus(() => {
    showRefusal(refusal);
    showStreams(state, {
      ownNumber: current?.number,
      refusal,
      onStop: (number) => void stopThere(number),
      onPlayHere: (number) => void playInsteadOf(number),
    });
  });
}

/** @param {string} viewerId */
async function logIn(viewerId) {
  changingViewer = true;
  await ask('POST', '/api/login', { viewer: viewerId });
  changingViewer = false;
  show('notice', '');
  show('status', 'Nothing plays yet.');
  await refresh();
  if (state.viewer !== null) element('play', HTMLButtonElement).focus();
}

async function logOut() {
  await end('Stopped.');
  changingViewer = true;
  const { ok } = await ask('POST', '/api/logout');
  changingViewer = false;
  refusal = undefined;
  if (ok) state = { ...state, viewer: null, streams: [] };
  render();
  if (ok) element('viewers', HTMLElement).querySelector('button')?.focus();
  await refresh();
}

/**
 * @param {number} [replaces] the stream of this tab so far
 * @param {Stream} [before] that stream, unless a reload has interrupted it
 */
async function play(replaces, before) {
  const { viewer } = state;
  if (viewer === null || starting || current !== undefined) return;
  starting = true;
  refusal = undefined;
  const title = chosenTitle();
  show('notice', '');
  show('status', 'Asking whether you may watch …');
  render();
  const { ok, reached, answer } = await ask('POST', '/api/streams', {
    viewer: viewer.id,
    replaces,
    title,
    sandbox: sandboxSubject(),
  });
  void before?.stop();
  starting = false;
  turn += 1;
  if (!ok) {
    show('status', reached ? 'Not playing.' : 'Not playing, because the service could not be reached.');
    if (reached) refuse(/** @type {Refusal} */ (answer));
    render();
    await refresh();
    return;
  }
  const stream = new Stream({ viewerId: viewer.id, title }, /** @type {StartedStream} */ (answer), {
    end: (code) => current === stream && void end(reasonOf(code)),
    replaced: () => current === stream && rememberStream(stream),
  });
  current = stream;
  // The viewer logged out in the meantime.
  if (state.viewer?.id !== viewer.id) return end('Not playing.');
  rememberStream(stream);
  render();
  await stream.play(video);
  if (current === stream) showProgress();
  await refresh();
}

/** @param {Refusal} answer */
function refuse(answer) {
  // Another tab has changed the login; the state, which is read next, shows it.
  if (answer.code === 'not_logged_in' || answer.code === 'other_viewer') return;
  refusal = answer;
  if (answer.streams !== undefined) state = { ...state, streams: answer.streams };
}

/**
 * Ends playback: frees the slot at once and shows the reason.
 * @param {string} text
 * @param {string} [then] shown after the text once the session is released
 */
async function end(text, then = '') {
  const ending = current;
  current = undefined;
  forgetStream();
  if (ending !== undefined) show('status', text);
  render();
  const released = await ending?.stop();
  // Another stream with its own status may have started.
  if (ending !== undefined && current === undefined && !starting) {
    show('status', `${text} ${released ? then : 'Your stream is free once the service can be reached.'}`.trim());
  }
  await refresh();
}

/** @param {number} number */
async function stopThere(number) {
  await ask('POST', `/api/streams/${number}/stop`, { viewer: state.viewer?.id });
  await refresh();
}

/** @param {number} number */
async function playInsteadOf(number) {
  element('play', HTMLButtonElement).focus();
  await stopThere(number);
  await play();
}

/** Another title in place of the one that plays: the same slot, a new session. */
async function switchTitle() {
  const before = current;
  if (before === undefined || starting) return;
  current = undefined;
  await play(before.number, before);
}

function showProgress() {
  if (current === undefined || video.ended) return;
  if (current.keeper.waiting) return show('status', 'Waiting until the service can be reached.');
  show('status', video.paused ? 'Paused. Your stream stays in use.' : 'Playing.');
}

async function poll() {
  await refresh();
  setTimeout(poll, pollMilliseconds);
}

async function open() {
  await refresh();
  const before = streamBeforeReload();
  if (before !== undefined && before.viewerId === state.viewer?.id) {
    chooseTitle(before.title);
    void play(before.number);
  }
  setTimeout(poll, pollMilliseconds);
}

element('play', HTMLButtonElement).addEventListener('click', () => void play());
onOtherTitle(() => void switchTitle());
element('stop', HTMLButtonElement).addEventListener('click', () => void end('Stopped.', freed));
element('log-out', HTMLButtonElement).addEventListener('click', () => void logOut());
repeat.addEventListener('change', () => {
  video.loop = repeat.checked;
});
video.loop = repeat.checked;
video.addEventListener('ended', () => void end('The clip has ended.', freed));
video.addEventListener('pause', showProgress);
video.addEventListener('playing', showProgress);
setInterval(renderSession, 1000);
setInterval(() => void readEvents(), pollMilliseconds);
setInterval(() => void readAudience(), pollMilliseconds);
void open();
