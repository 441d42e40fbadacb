import { etagOf } from './if-match';

/** The response with a record: its API form, and its version as the ETag to send with the next `If-Match`. */
export interface RecordReply<Body> {
  status: 200;
  body: Body;
  headers: { ETag: string };
}

/** The response with this record, in the form that `bodyOf` gives it. */
export function recordReply<Row extends { version: number }, Body>(
  row: Row,
  bodyOf: (row: Row) => Body,
): RecordReply<Body> {
  return { status: 200, body: bodyOf(row), headers: { ETag: etagOf(row.version) } };
}
