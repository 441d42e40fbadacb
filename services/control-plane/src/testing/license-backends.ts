const hex = (bytes: number) => 'Ab'.repeat(bytes);
const address = { url: 'https://license.example.com/' };
/** Valid settings of each license backend that has an address, with the secret ones separated. */
export const backends = {
  'widevine-proxy': {
    open: { ...address, provider: 'acme', policyName: 'default' },
    secret: { signingKey: hex(32), signingIv: hex(16) },
  },
  axinom: {
    open: { ...address, communicationKeyId: '5f0d2a51-0f0e-4d0b-9a53-0f9a4c1f2b77' },
    secret: { communicationKey: Buffer.alloc(32, 0x5a).toString('base64') },
  },
  drmtoday: {
    open: { ...address, merchant: 'acme', sharedSecretId: 'secret-1' },
    secret: { sharedSecret: hex(32) },
  },
  doverunner: {
    open: { ...address, siteId: 'TUTO' },
    secret: { siteKey: 'lU5D8s3PWoLls3PWFWkClULlFWk5D8oC', accessKey: 'LT2FVJDp2Xr018zf4Di6lzvNOv3DKP20' },
  },
  http: {
    open: { ...address, headers: { 'X-Tenant': 'acme' }, policyHeader: 'X-Policy', responseFormat: '$.license' },
    secret: { secretHeaders: { Authorization: 'Basic hidden-credential' } },
  },
};
