/** @import { Refusal, SiteState, Stream } from './types' */
import { button, element, show } from './view.mjs';
import { duration, reasonOf, startTime, streamInWords } from './words.mjs';

/** A stream of this site is renewed every 10 s and lasts 25 s from then: with fewer seconds left, it has missed a renewal. */
const missedRenewalSeconds = 12;

/**
 * Shows the viewer's active streams. The stream of this tab has its Stop button below the video. While this tab is refused because of
 * the limit, each stream has a button to play here instead.
 * @param {SiteState} state
 * @param {object} options
 * @param {number | undefined} options.ownNumber
 * @param {Refusal | undefined} options.refusal
 * @param {(number: number) => void} options.onStop
 * @param {(number: number) => void} options.onPlayHere
 */
export function showStreams({ streams, limit }, { ownNumber, refusal, onStop, onPlayHere }) {
  show('slots', `${streams.length}${limit === null ? '' : ` of ${limit}`} in use`);
  const refused = refusal?.limit !== undefined;
  showRows(element('streams', HTMLUListElement), streams, (stream) => {
    const { number, secondsLeft } = stream;
    const own = number === ownNumber;
    const text = `${streamInWords(stream)}${own ? ' (this tab)' : ''}`;
    const renewed = secondsLeft >= missedRenewalSeconds;
    const time = renewed ? 'renews by itself' : `not renewed: free in ${duration(secondsLeft)}`;
    if (own) return { text, time };
    const stop = `Stop the stream since ${startTime(stream)}`;
    const action = refused
      ? { text: 'Play here instead', label: `${stop} and play here instead`, onPress: () => onPlayHere(number) }
      : { text: 'Stop', label: stop, onPress: () => onStop(number) };
    return { text, time, action };
  });
}

/**
 * Shows why playback did not start. The list of streams shows what plays instead.
 * @param {Refusal | undefined} refusal
 */
export function showRefusal(refusal) {
  element('refusal', HTMLElement).hidden = refusal === undefined;
  const limit = refusal?.limit === undefined ? '' : ` The limit is ${refusal.limit}.`;
  show('refusal', refusal === undefined ? '' : reasonOf(refusal.code) + limit);
}

/**
 * @typedef {{ text: string, label: string, onPress: () => void }} Action
 * @typedef {{ text: string, time: string, action?: Action }} Row
 */

/**
 * Updates the rows. Rows that stay keep their buttons, and with them the keyboard focus.
 * @param {HTMLUListElement} list
 * @param {Stream[]} streams
 * @param {(stream: Stream) => Row} rowOf
 */
function showRows(list, streams, rowOf) {
  const known = new Map([...list.children].map((row) => [row.getAttribute('data-key'), row]));
  const rows = streams.map((stream) => {
    const { text, time, action } = rowOf(stream);
    const key = `${stream.number} ${action?.text ?? 'own'}`;
    const row = known.get(key) ?? newRow(key, action);
    const [nameCell, timeCell] = row.children;
    if (nameCell && nameCell.textContent !== text) nameCell.textContent = text;
    if (timeCell) timeCell.textContent = time;
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
