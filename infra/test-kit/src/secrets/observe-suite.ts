import { observeServers } from './observe-servers';

// Jest runs this before each suite, in the suite's own process and realm.
const end = observeServers();
afterAll(end);
