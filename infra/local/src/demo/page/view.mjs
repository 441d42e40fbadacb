/**
 * @import { PlaybackSession } from './playback-session.mjs'
 * @import { Session, SiteState, Stream } from './types'
 */
import { duration, startTime, times } from './words.mjs';

/**
 * An element of the page.
 * @template {HTMLElement} Type
 * @param {string} id
 * @param {new () => Type} type
 * @returns {Type}
 */
export function element(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`no element ${id}`);
  return found;
}

/**
 * @param {string} id
 * @param {string} text
 */
export function show(id, text) {
  const target = element(id, HTMLElement);
  // Unchanged text is not set again: screen readers would read it out once more.
  if (target.textContent !== text) target.textContent = text;
}

/**
 * Who is watching, or who could.
 * @param {SiteState} state
 * @param {(viewerId: string) => void} onLogIn
 */
export function showViewer({ viewer, viewers }, onLogIn) {
  show('viewer', viewer === null ? '' : `Watching as ${viewer.name}`);
  element('log-out', HTMLElement).hidden = viewer === null;
  // Nobody is known to be there before the first answer.
  element('login', HTMLElement).hidden = viewer !== null || viewers.length === 0;
  element('cinema', HTMLElement).hidden = viewer === null;
  const list = element('viewers', HTMLElement);
  if (list.childElementCount > 0) return;
  list.append(...viewers.map(({ id, name }) => button(`Watch as ${name}`, () => onLogIn(id))));
}

/**
 * The session of this tab, its time as it passes, and what developers want to know of it.
 * @param {PlaybackSession | undefined} playback
 * @param {{ starting: boolean, stream: Stream | undefined }} options `stream` is its entry in the live list
 */
export function showSession(playback, { starting, stream }) {
  element('video', HTMLVideoElement).controls = playback !== undefined;
  showButtons(playback !== undefined, starting);
  if (playback === undefined) {
    for (const id of ['stream', 'end', 'policy', 'key-system', 'licenses', 'renewals']) show(id, '–');
    return;
  }
  const { renewal, policy, drm } = playback.session;
  show('stream', stream === undefined ? '–' : startTime(stream));
  const end = `in ${duration(playback.secondsLeft)}`;
  show('end', renewal === undefined ? end : `renews by itself, else ${end}`);
  const every = renewal === undefined ? '' : `, every ${duration(renewal.intervalSeconds)}`;
  show('renewals', `${times(playback.renewals)}${every}`);
  show('licenses', stream === undefined ? '–' : `${stream.licenseRequests ?? 0} requested`);
  show('policy', policyInWords(policy));
  show('key-system', drm.keySystems.join(', '));
}

/**
 * A button that goes out of use hands the keyboard's focus to the other one.
 * @param {boolean} playing
 * @param {boolean} starting
 */
function showButtons(playing, starting) {
  const play = element('play', HTMLButtonElement);
  const stop = element('stop', HTMLButtonElement);
  const focused = document.activeElement;
  // Not disabled while it waits for the answer: it would lose the focus.
  play.setAttribute('aria-disabled', String(starting));
  play.disabled = playing;
  stop.disabled = !playing;
  if (focused === play && playing) stop.focus();
  if (focused === stop && !playing) play.focus();
}

/**
 * Does something that may remove the focused element; Play or Stop then has the focus.
 * @param {() => void} change
 */
export function keepFocus(change) {
  const focused = document.activeElement;
  change();
  if (focused === null || focused.isConnected) return;
  const play = element('play', HTMLButtonElement);
  (play.disabled ? element('stop', HTMLButtonElement) : play).focus();
}

/** @param {Session['policy']} policy */
function policyInWords({ template, maximumHeight, allowedTrackTypes, maximumConcurrentStreams: limit }) {
  const streams = limit === null ? 'no limit of streams' : `${limit} streams at once`;
  return `${template ?? 'custom'}: up to ${maximumHeight} lines, ${allowedTrackTypes.join(', ')}, ${streams}`;
}

/**
 * @param {string} text
 * @param {() => void} onPress
 */
export function button(text, onPress) {
  const made = document.createElement('button');
  made.type = 'button';
  made.textContent = text;
  made.addEventListener('click', onPress);
  return made;
}
