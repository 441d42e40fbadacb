/** @import { Refusal, SiteState, Stream } from './types' */
import { button, element, show } from './view.mjs';
import { duration, reasonOf, startTime, streamInWords } from './words.mjs';

/**
 * What the viewer watches at this moment, from the live list. The stream of this tab has its Stop below the picture.
 * @param {SiteState} state
 * @param {{ ownNumber: number | undefined, onStop: (number: number) => void }} options
 */
export function showStreams({ streams, limit }, { ownNumber, onStop }) {
  show('slots', `${streams.length}${limit === null ? '' : ` of ${limit}`} in use`);
  showRows(element('streams', HTMLUListElement), streams, (stream) => {
    const own = stream.number === ownNumber;
    const text = `${streamInWords(stream)}${own ? ' (this tab)' : ''}`;
    const left = `${duration(stream.secondsLeft)} left`;
    const label = `Stop the stream since ${startTime(stream)}`;
    return own ? { text, left } : { text, left, action: { text: 'Stop', label, onPress: () => onStop(stream.number) } };
  });
}

/**
 * Why playback did not start, and what plays instead, each with a button to play here in its place.
 * @param {Refusal | undefined} refusal
 * @param {Stream[]} streams what plays now
 * @param {(number: number) => void} onPlayHere
 */
export function showRefusal(refusal, streams, onPlayHere) {
  element('refusal', HTMLElement).hidden = refusal === undefined;
  const limit = refusal?.limit === undefined ? '' : ` The limit is ${refusal.limit}. Playing now:`;
  show('refusal-reason', refusal === undefined ? '' : reasonOf(refusal.code) + limit);
  const playing = refusal?.limit === undefined ? [] : streams;
  showRows(element('refusal-streams', HTMLUListElement), playing, (stream) => ({
    text: streamInWords(stream),
    action: {
      text: 'Stop this one and play here',
      label: `Stop this one and play here: since ${startTime(stream)}`,
      onPress: () => onPlayHere(stream.number),
    },
  }));
}

/**
 * @typedef {{ text: string, label: string, onPress: () => void }} Action
 * @typedef {{ text: string, left?: string, action?: Action }} Row
 */

/**
 * Rows that stay keep their buttons, and with them the keyboard's focus.
 * @param {HTMLUListElement} list
 * @param {Stream[]} streams
 * @param {(stream: Stream) => Row} rowOf
 */
function showRows(list, streams, rowOf) {
  const known = new Map([...list.children].map((row) => [row.getAttribute('data-key'), row]));
  const rows = streams.map((stream) => {
    const { text, left = '', action } = rowOf(stream);
    const key = `${stream.number}${action === undefined ? ' own' : ''}`;
    const row = known.get(key) ?? newRow(key, action);
    const [name, time] = row.children;
    if (name && name.textContent !== text) name.textContent = text;
    if (time) time.textContent = left;
    return row;
  });
  for (const row of known.values()) if (!rows.includes(row)) row.remove();
  for (const row of rows) if (row.parentElement !== list) list.append(row);
}

/**
 * @param {string} key
 * @param {Action | undefined} action
 */
function newRow(key, action) {
  const row = document.createElement('li');
  row.setAttribute('data-key', key);
  row.append(document.createElement('span'), document.createElement('small'));
  if (action === undefined) return row;
  const made = button(action.text, action.onPress);
  made.setAttribute('aria-label', action.label);
  row.append(made);
  return row;
}
