import type { SlotStore } from '@multi-drm/slots';
import type { ReleaseParts } from './release-or-remember';
import type { CreationParts } from './session-creation';
import type { EvaluationParts } from './session-evaluation';
import type { RenewalParts } from './session-renewal';

/** The parts of the service that the session routes use. */
export type SessionParts = CreationParts & RenewalParts & ReleaseParts & EvaluationParts & { slots: SlotStore };
