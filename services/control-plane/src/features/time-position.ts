/** A place in a list that is sorted by time and id. */
export interface TimePosition {
  time: Date;
  id: string;
}

const form = /^(\d{1,15}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
/** The last millisecond of the year 9999, after which ISO times have another form. */
const lastTime = 253_402_300_799_999;

/** The place as cursors hold it: milliseconds since 1970 and the id, a UUID. */
export function formatTimePosition({ time, id }: TimePosition): string {
  return `${time.getTime()} ${id}`;
}

/** Undefined for any other text. */
export function parseTimePosition(text: string): TimePosition | undefined {
  const [, time, id] = form.exec(text) ?? [];
  if (time === undefined || id === undefined || Number(time) > lastTime) return undefined;
  return { time: new Date(Number(time)), id };
}
