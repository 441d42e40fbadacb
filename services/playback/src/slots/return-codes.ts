const refusalsOfALiveSession = [
  'unknown',
  'released',
  'terminated',
  'evicted',
  'expired',
  'other_reservation',
  'subject_blocked',
  'rate_limited',
] as const;

/** What each script's return codes mean; a code is its place in the list. The scripts' heads say the same. */
export const returnCodes = {
  reserve: [
    'reserved',
    'repeated',
    'limit_reached',
    'organization_full',
    'subject_blocked',
    'session_id_reused',
    'unfinished',
  ],
  list: ['listed'],
  find: ['reserved', 'unknown', 'released', 'terminated', 'evicted', 'expired'],
  renew: ['renewed', ...refusalsOfALiveSession],
  'count-license-request': ['counted', ...refusalsOfALiveSession],
  release: ['released', 'unknown', 'already_ended', 'other_reservation'],
  remember: ['remembered', 'known'],
  undo: ['undone', 'repeated', 'not_reserved', 'other_reservation', 'unknown'],
  'note-undone': ['noted', 'known'],
} as const;

/** The verbs of the slot store, each a script of the same name. */
export type Verb = keyof typeof returnCodes;

/** A slot script answered something that its head does not list: script and store are not of the same version. */
export class UnexpectedReply extends Error {
  constructor(verb: Verb, options?: ErrorOptions) {
    super(`unexpected reply of the slot script "${verb}"`, options);
    this.name = 'UnexpectedReply';
  }
}

/** Gives the meaning of a script's return code; throws UnexpectedReply for a code that the script never returns. */
export function meaningOf<V extends Verb>(verb: V, code: unknown): (typeof returnCodes)[V][number] {
  const meanings: readonly (typeof returnCodes)[V][number][] = returnCodes[verb];
  const meaning = typeof code === 'number' ? meanings[code] : undefined;
  if (meaning === undefined) throw new UnexpectedReply(verb);
  return meaning;
}
