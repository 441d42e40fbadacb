import { Problem } from '@multi-drm/contracts';
import { endpoint } from '../access/access';
import type { RereadingCatalog } from '../catalog/catalog';

/** GET /environments/{siteId}/certificates/fairplay: the application certificate, which players need before they can make an SPC. */
export const getFairPlayCertificate = (catalog: RereadingCatalog) =>
  endpoint({
    operationId: 'getFairPlayCertificate',
    access: 'public-by-address',
    async handle({ params }) {
      const certificate = await catalog.rereadBeforeRefusal(async (current) => {
        const environmentId = params.siteId.toLowerCase();
        const [environment, document] = await Promise.all([
          current.environment(environmentId),
          current.licenseBackend(environmentId, 'fairplay'),
        ]);
        if (environment === null || document?.certificate == null) {
          throw new Problem('certificate_not_found', 'The environment has no FairPlay certificate.');
        }
        return document.certificate;
      });
      return {
        status: 200,
        bytes: Buffer.from(certificate, 'base64'),
        contentType: 'application/octet-stream',
      };
    },
  });
