/** Where an encrypted secret belongs: it is decrypted there and nowhere else. */
export interface SecretPlace {
  /** The record that the secret is of, as ids are stored: lower case. */
  recordId: string;
  /** The secret among the record's members. */
  field: string;
}

/**
 * The places of all secrets that are stored and published. Both services derive a place from the document that holds the
 * secret, so a secret that was copied into another environment, content or member is of no use there.
 */
export const secretPlaces = {
  /** A license backend's secret setting, by its name. */
  licenseBackend: (environmentId: string, drmSystem: string, name: string): SecretPlace => ({
    recordId: `${environmentId}/${drmSystem}`,
    field: name,
  }),
  /** The content key of a key id. */
  contentKey: (contentAssetId: string, keyId: string): SecretPlace => ({
    recordId: contentAssetId,
    field: `keys.${keyId}.key`,
  }),
} as const;
