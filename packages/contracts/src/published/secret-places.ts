/** Where an encrypted secret belongs. It can only be decrypted there. */
export interface SecretPlace {
  /** The record that the secret belongs to, by its stored id in lower case. */
  recordId: string;
  /** The field of the secret within the record. */
  field: string;
}

/**
 * The places of all stored and published secrets. Both services derive a place from the document that contains the
 * secret, so a secret that is copied to another environment, content or field cannot be decrypted.
 */
export const secretPlaces = {
  /** A secret setting of a license backend, by name. */
  licenseBackend: (environmentId: string, drmSystem: string, name: string): SecretPlace => ({
    recordId: `${environmentId}/${drmSystem}`,
    field: name,
  }),
  /** The content key of a key id. */
  contentKey: (contentAssetId: string, keyId: string): SecretPlace => ({
    recordId: contentAssetId,
    field: `keys.${keyId}.key`,
  }),
  /** What signs deliveries to a webhook endpoint: the secret, and the one before it. */
  webhookSecret: (webhookEndpointId: string): SecretPlace => ({ recordId: webhookEndpointId, field: 'secret' }),
  /** The value of a header that is sent with deliveries, by its name in lower case. */
  webhookHeader: (webhookEndpointId: string, name: string): SecretPlace => ({
    recordId: webhookEndpointId,
    field: `secretHeaders.${name}`,
  }),
  /** The key of the viewers' buckets, in the database and in the deployment's document. */
  subjectHashKey: { recordId: 'deployment', field: 'subjectHashKey' } satisfies SecretPlace,
  /** A known text, by which services find out whether they have the same keys. */
  secretKeyProbe: { recordId: 'deployment', field: 'secretKeyProbe' } satisfies SecretPlace,
} as const;
