const sessionRefusals = [
  'unknown',
  'released',
  'terminated',
  'evicted',
  'expired',
  'other_reservation',
  'subject_blocked',
  'rate_limited',
] as const;

/** The meanings of each script's return codes; a code is an index into the list. The scripts' headers list the same. */
export const returnCodes = {
  reserve: [
    'reserved',
    'repeated',
    'limit_reached',
    'organization_full',
    'subject_blocked',
    'session_id_reused',
    'unfinished',
    'starts_used_up',
  ],
  restore: ['reserved', 'known', 'expired', 'subject_blocked', 'limit_reached', 'organization_full'],
  list: ['listed'],
  find: ['reserved', 'unknown', 'released', 'terminated', 'evicted', 'expired'],
  renew: ['renewed', ...sessionRefusals],
  'count-license-request': ['counted', ...sessionRefusals],
  release: ['released', 'unknown', 'already_ended', 'other_reservation'],
  remember: ['remembered', 'known'],
  undo: ['undone', 'repeated', 'not_reserved', 'other_reservation', 'unknown'],
  'note-undone': ['noted', 'known'],
  sweep: ['swept'],
} as const;

/** The verbs of the slots; each is a script of the same name. */
export type Verb = keyof typeof returnCodes;

/** A slot script returned something that its header does not list: script and store have different versions. */
export class UnexpectedReply extends Error {
  constructor(verb: Verb, options?: ErrorOptions) {
    super(`unexpected reply of the slot script "${verb}"`, options);
    this.name = 'UnexpectedReply';
  }
}

/** Returns the meaning of a script's return code; throws UnexpectedReply for a code that the script never returns. */
export function meaningOf<V extends Verb>(verb: V, code: unknown): (typeof returnCodes)[V][number] {
  const meanings: readonly (typeof returnCodes)[V][number][] = returnCodes[verb];
  const meaning = typeof code === 'number' ? meanings[code] : undefined;
  if (meaning === undefined) throw new UnexpectedReply(verb);
  return meaning;
}
