import type { DrmSystem, LicenseBackend } from '../backends/license-backend';

/** The media type with which a license is sent to players. */
export function answerTypeOf(drmSystem: DrmSystem, { answerType }: Pick<LicenseBackend, 'answerType'>): string {
  if (answerType !== undefined) return answerType;
  return drmSystem === 'playready' ? 'text/xml; charset=utf-8' : 'application/octet-stream';
}
