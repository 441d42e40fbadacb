export { callOf } from '../backends/testing/calls';
export { challenges, licenses } from '../backends/testing/messages';
