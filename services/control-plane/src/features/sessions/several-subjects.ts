import { Problem } from '@multi-drm/contracts';

/** The refusal of a call that names a session only by an id that viewers of several subjects have. */
export const severalSubjects = () =>
  new Problem('conflict', 'Sessions of several subjects have this id: send the subject as well.');
