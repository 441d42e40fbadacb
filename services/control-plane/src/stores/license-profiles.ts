import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { Transaction } from '../database/database';
import type { LicenseProfile } from '../generated/prisma/client';
import { lockRow } from './lock-row';

/** A license profile with a typed JSON column. */
export type LicenseProfileRecord = Omit<LicenseProfile, 'tracks'> & { tracks: ControlPlaneSchemas['TrackPolicy'][] };

/** The fields that can be changed; absent ones stay as they are. */
type LicenseProfileValues = Partial<
  Pick<LicenseProfileRecord, 'name' | 'description' | 'rightsId' | 'maximumHeight' | 'tracks' | 'status'>
>;

// Safe: only this file writes the column, and it takes this type.
const typed = (profile: LicenseProfile): LicenseProfileRecord => profile as unknown as LicenseProfileRecord;

const oldestFirst = [{ createdAt: 'asc' as const }, { id: 'asc' as const }];

/** All license profiles of the project with the status and, if given, the rights, oldest first. */
export async function listLicenseProfiles(
  transaction: Transaction,
  projectId: string,
  { status, rightsId }: { status: LicenseProfileRecord['status']; rightsId?: string | undefined },
): Promise<LicenseProfileRecord[]> {
  const where = { projectId, status, ...(rightsId === undefined ? {} : { rightsId }) };
  const found = await transaction.licenseProfile.findMany({ where, orderBy: oldestFirst });
  return found.map(typed);
}

export async function readLicenseProfile(transaction: Transaction, id: string): Promise<LicenseProfileRecord> {
  return typed(await transaction.licenseProfile.findUniqueOrThrow({ where: { id } }));
}

/** Reads a license profile that stays as it is until the transaction ends. */
export async function lockLicenseProfile(transaction: Transaction, id: string): Promise<LicenseProfileRecord> {
  await lockRow(transaction, 'license_profile', id);
  return readLicenseProfile(transaction, id);
}

/** The id of the project's license profile with this name; undefined if there is none. */
export async function findLicenseProfileId(
  transaction: Transaction,
  projectId: string,
  name: string,
): Promise<string | undefined> {
  return (await transaction.licenseProfile.findFirst({ where: { projectId, name }, select: { id: true } }))?.id;
}

/** The id of the project's archived license profile with this name; undefined if there is none. */
export async function findArchivedLicenseProfile(
  transaction: Transaction,
  projectId: string,
  name: string,
): Promise<string | undefined> {
  const where = { projectId, name, status: 'archived' } as const;
  return (await transaction.licenseProfile.findFirst({ where, select: { id: true } }))?.id;
}

export async function insertLicenseProfile(
  transaction: Transaction,
  values: LicenseProfileValues & Pick<LicenseProfileRecord, 'projectId' | 'name' | 'maximumHeight' | 'tracks'>,
  now: Date,
): Promise<LicenseProfileRecord> {
  return typed(await transaction.licenseProfile.create({ data: { ...values, createdAt: now, updatedAt: now } }));
}

/** Sets fields of a license profile and raises its version. */
export async function changeLicenseProfile(
  transaction: Transaction,
  id: string,
  values: LicenseProfileValues,
  now: Date,
): Promise<LicenseProfileRecord> {
  const data = { ...values, version: { increment: 1 }, updatedAt: now };
  return typed(await transaction.licenseProfile.update({ where: { id }, data }));
}
