/** @import { LastEvents } from './types' */
import { ask } from './backend.mjs';
import { element, show } from './view.mjs';
import { detailsOfEvent, eventInWords } from './words.mjs';

const part = element('events', HTMLDetailsElement);
/** @type {string | undefined} */
let viewerId;
let reading = false;

/**
 * Shows the last events of the viewer from now on, and no longer those of another.
 * @param {string | undefined} id
 */
export function showEventsOf(id) {
  if (id === viewerId) return;
  viewerId = id;
  render('', []);
  void readEvents();
}

/** Reads the events if they are shown. Nothing waits for them: without the control plane, playback goes on. */
export async function readEvents() {
  if (reading || !part.open || viewerId === undefined) return;
  reading = true;
  const { ok, answer } = await ask('GET', '/api/events');
  reading = false;
  if (!ok) return show('events-note', 'The events cannot be read right now.');
  const { viewer, events } = /** @type {LastEvents} */ (answer);
  if (viewer === viewerId) render(events.length === 0 ? 'Nothing has happened yet.' : '', events);
}

/**
 * @param {string} note
 * @param {LastEvents['events']} events
 */
function render(note, events) {
  show('events-note', note);
  const rows = events.map((event) => {
    const row = document.createElement('li');
    const [what, details] = [document.createElement('span'), document.createElement('small')];
    what.textContent = eventInWords(event);
    details.textContent = detailsOfEvent(event);
    row.append(what, details);
    return row;
  });
  element('event-list', HTMLUListElement).replaceChildren(...rows);
}

part.addEventListener('toggle', () => void readEvents());
