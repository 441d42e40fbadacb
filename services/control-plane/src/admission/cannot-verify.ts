/** The cause of a problem with a credential that cannot be verified at the moment. Anybody may have made the credential. */
export class CannotVerify extends Error {}
