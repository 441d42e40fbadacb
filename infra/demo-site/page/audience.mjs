/** @import { Audience } from './types' */
import { ask } from './backend.mjs';
import { element, show } from './view.mjs';
import { minuteInWords } from './words.mjs';

const [width, height] = [300, 80];
const minuteMilliseconds = 60_000;
/** Fewer minutes would be hardly a curve. */
const leastMinutes = 10;

const part = element('audience', HTMLDetailsElement);
const line = document.querySelector('#curve-line');
let reading = false;

/** Reads how many streams all viewers have, if it is shown. Nothing waits for it: without the control plane, playback goes on. */
export async function readAudience() {
  if (reading || !part.open) return;
  reading = true;
  const { ok, answer } = await ask('GET', '/api/audience');
  reading = false;
  if (!ok) return show('audience-note', 'The streams cannot be counted right now.');
  const audience = /** @type {Audience} */ (answer);
  const of = audience.limit === null ? '' : ` of ${audience.limit}`;
  show('audience-note', `${audience.streams}${of} now, ${audience.peak} at today's peak`);
  draw(audience);
}

/**
 * Draws the most streams of each minute, from the first one of today (UTC) until now.
 * @param {Audience} audience
 */
function draw({ streams, peak, minutes }) {
  const now = Date.now() - (Date.now() % minuteMilliseconds);
  const counted = new Map(minutes.map(({ start, streams: most }) => [Date.parse(start), most]));
  const first = Math.min(now - leastMinutes * minuteMilliseconds, ...counted.keys());
  const count = Math.round((now - first) / minuteMilliseconds);
  const points = Array.from({ length: count + 1 }, (_, index) => {
    const time = first + index * minuteMilliseconds;
    // The minutes of this moment are not counted yet.
    const most = counted.get(time) ?? (time === now ? streams : 0);
    const [x, y] = [(index / count) * width, height - (most / Math.max(1, peak)) * (height - 2) - 1];
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  line?.setAttribute('points', points.join(' '));
  show('curve-times', `From ${minuteInWords(first)} until ${minuteInWords(now)}`);
}

part.addEventListener('toggle', () => void readAudience());
