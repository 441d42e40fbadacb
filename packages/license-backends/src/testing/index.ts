export { callOf } from '../backends/testing/calls';
export { httpBackendSettings } from '../backends/testing/fake-http';
export { challenges, licenses, playReadyKeyMessage, spcs } from '../backends/testing/sample-messages';
export { serveFake } from '../backends/testing/serve-fake';
export { type SpcRequest, spcRequests } from '../backends/testing/spc-requests';
export { closeServers, licenseServer } from '../transport/testing/license-servers';
export { everyFake, exampleSettings, type FakeBackend } from './every-fake';
