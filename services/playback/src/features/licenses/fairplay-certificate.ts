import { Problem } from '@multi-drm/contracts';
import { endpoint } from '../../access/access';
import type { Catalog } from '../../catalog/catalog';

/** GET /environments/{siteId}/certificates/fairplay: the application certificate, which players need before a license. */
export const fairPlayCertificate = (catalog: Pick<Catalog, 'licenseBackend'>) =>
  endpoint({
    operationId: 'getFairPlayCertificate',
    access: 'public-by-address',
    async handle({ params }) {
      const document = await catalog.licenseBackend(params.siteId.toLowerCase(), 'fairplay');
      if (document?.certificate == null) {
        throw new Problem('certificate_not_found', 'The environment has no FairPlay certificate.');
      }
      return {
        status: 200,
        bytes: Buffer.from(document.certificate, 'base64'),
        contentType: 'application/octet-stream',
      };
    },
  });
