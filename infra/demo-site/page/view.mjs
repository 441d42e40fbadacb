/**
 * @import { Stream as OwnStream } from './stream.mjs'
 * @import { Session, SiteState, Stream } from './types'
 */
import { duration, startTime, times } from './words.mjs';

/**
 * Returns an element of the page.
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
  // Unchanged text is not set again, because screen readers would read it again.
  if (target.textContent !== text) target.textContent = text;
}

/**
 * Shows who is logged in, or who can log in.
 * @param {SiteState} state
 * @param {(viewerId: string) => void} onLogIn
 */
export function showViewer({ viewer, viewers }, onLogIn) {
  show('viewer', viewer === null ? '' : `Watching as ${viewer.name}`);
  element('log-out', HTMLElement).hidden = viewer === null;
  // The viewers are unknown before the first response.
  element('login', HTMLElement).hidden = viewer !== null || viewers.length === 0;
  element('cinema', HTMLElement).hidden = viewer === null;
  const list = element('viewers', HTMLElement);
  if (list.childElementCount > 0) return;
  list.append(...viewers.map(({ id, name }) => button(`Watch as ${name}`, () => onLogIn(id))));
}

/**
 * Shows the session of this tab with its remaining time and details for developers.
 * @param {OwnStream | undefined} own
 * @param {{ starting: boolean, stream: Stream | undefined }} options `stream` is its entry in the list of active sessions
 */
export function showSession(own, { starting, stream }) {
  element('video', HTMLVideoElement).controls = own !== undefined;
  showButtons(own !== undefined, starting);
  if (own === undefined) {
    for (const id of ['stream', 'end', 'policy', 'key-system', 'licenses', 'renewals']) show(id, '–');
    return;
  }
  const { keeper, renewals, session } = own;
  const { policy, drm } = session;
  const { renewal } = keeper.session;
  show('stream', stream === undefined ? '–' : startTime(stream));
  const end = `in ${duration(keeper.secondsLeft)}`;
  show('end', renewal === undefined ? end : `renews by itself, else ${end}`);
  const every = renewal === undefined ? '' : `, every ${duration(renewal.intervalSeconds)}`;
  show('renewals', `${times(renewals)}${every}`);
  show('licenses', stream === undefined ? '–' : `${stream.licenseRequests ?? 0} requested`);
  show('policy', policyInWords(policy));
  show('key-system', drm.keySystems.join(', '));
}

/**
 * Enables and disables the buttons. A button that is disabled passes the keyboard focus to the other one.
 * @param {boolean} playing
 * @param {boolean} starting
 */
function showButtons(playing, starting) {
  const play = element('play', HTMLButtonElement);
  const stop = element('stop', HTMLButtonElement);
  const focused = document.activeElement;
  // Not disabled while waiting for the response, because it would lose the focus.
  play.setAttribute('aria-disabled', String(starting));
  play.disabled = playing;
  stop.disabled = !playing;
  if (focused === play && playing) stop.focus();
  if (focused === stop && !playing) play.focus();
}

/**
 * Makes a change that may remove the focused element; if so, Play or Stop gets the focus.
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
  const streams = limit === null ? 'no stream limit' : `${limit} concurrent streams`;
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
