/**
 * @import { PlaybackSession } from './playback-session.mjs'
 * @import { Refusal, Session, SiteState, Stream } from './types'
 */
import { duration, reasonOf, streamInWords } from './words.mjs';

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
  element('login', HTMLElement).hidden = viewer !== null;
  element('cinema', HTMLElement).hidden = viewer === null;
  const list = element('viewers', HTMLElement);
  if (list.childElementCount > 0) return;
  list.append(...viewers.map(({ id, name }) => button(`Watch as ${name}`, () => onLogIn(id))));
}

/**
 * The session of this tab, its policy, and its time as it passes.
 * @param {{ number: number, playback: PlaybackSession } | undefined} current
 */
export function showSession(current) {
  element('play', HTMLButtonElement).disabled = current !== undefined;
  element('stop', HTMLButtonElement).disabled = current === undefined;
  if (current === undefined) {
    show('stream', 'none');
    for (const id of ['time-left', 'renewals', 'policy', 'key-system']) show(id, '–');
    return;
  }
  const { number, playback } = current;
  show('stream', `Stream ${number}`);
  show('time-left', duration(playback.secondsLeft));
  const every = playback.session.renewal?.intervalSeconds;
  show('renewals', `${playback.renewals} times${every === undefined ? '' : `, every ${duration(every)}`}`);
  show('policy', policyInWords(playback.session.policy));
  show('key-system', playback.session.drm.keySystems.join(', '));
}

/** @param {Session['policy']} policy */
function policyInWords({ template, maximumHeight, allowedTrackTypes, maximumConcurrentStreams: limit }) {
  const streams = limit === null ? 'no limit of streams' : `${limit} streams at once`;
  return `${template ?? 'custom'}: up to ${maximumHeight} lines, ${allowedTrackTypes.join(', ')}, ${streams}`;
}

/**
 * What the viewer watches at this moment, from the live list.
 * @param {Stream[]} streams
 * @param {{ ownNumber: number | undefined, limit: number | null | undefined, onStop: (number: number) => void }} options
 */
export function showStreams(streams, { ownNumber, limit, onStop }) {
  show('slots', `${streams.length}${limit ? ` of ${limit}` : ''} in use`);
  const list = element('streams', HTMLUListElement);
  const items = streams.map((stream) => {
    const here = stream.number === ownNumber ? ' (this tab)' : '';
    const left = `${duration(stream.secondsLeft)} left, license requests: ${stream.licenseRequests ?? 0}`;
    return { number: stream.number, text: `${streamInWords(stream)}${here}, ${left}` };
  });
  // Rows that stay keep their buttons, and with them the keyboard's focus.
  const known = new Map([...list.children].map((row) => [row.getAttribute('data-number'), row]));
  const rows = items.map(({ number, text }) => known.get(String(number)) ?? streamRow(number, text, onStop));
  for (const [index, { text }] of items.entries()) {
    const label = rows[index]?.firstElementChild;
    if (label) label.textContent = text;
  }
  for (const row of known.values()) if (!rows.includes(row)) row.remove();
  for (const row of rows) if (row.parentElement !== list) list.append(row);
}

/**
 * @param {number} number
 * @param {string} text
 * @param {(number: number) => void} onStop
 */
function streamRow(number, text, onStop) {
  const row = document.createElement('li');
  row.setAttribute('data-number', String(number));
  const label = document.createElement('span');
  label.textContent = text;
  const stop = button('Stop', () => onStop(number));
  stop.setAttribute('aria-label', `Stop stream ${number}`);
  row.append(label, stop);
  return row;
}

/**
 * Why playback did not start, and what plays instead.
 * @param {Refusal | undefined} refusal
 */
export function showRefusal(refusal) {
  const box = element('refusal', HTMLElement);
  box.hidden = refusal === undefined;
  box.replaceChildren();
  if (refusal === undefined) return;
  const reason = document.createElement('strong');
  reason.textContent = reasonOf(refusal.code);
  box.append(reason);
  if (refusal.streams === undefined) return;
  const { limit, streams } = refusal;
  const list = document.createElement('ul');
  for (const stream of streams) {
    const item = document.createElement('li');
    item.textContent = streamInWords(stream);
    list.append(item);
  }
  const playing = document.createElement('p');
  playing.textContent = `${limit === undefined ? '' : `The limit is ${limit}. `}Playing now:`;
  box.append(playing, list);
}

/**
 * @param {string} text
 * @param {() => void} onPress
 */
function button(text, onPress) {
  const made = document.createElement('button');
  made.type = 'button';
  made.textContent = text;
  made.addEventListener('click', onPress);
  return made;
}
