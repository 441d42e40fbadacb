export { callOf } from '../backends/testing/calls';
export { httpBackendSettings } from '../backends/testing/fake-http';
export { challenges, licenses, playReadyKeyMessage, spc } from '../backends/testing/messages';
export { serveFake } from '../backends/testing/serve-fake';
export { closeServers, licenseServer } from '../transport/testing/license-servers';
export { everyFake, type FakeBackend } from './every-fake';
