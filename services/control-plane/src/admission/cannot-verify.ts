/** The cause of a problem with a credential that cannot be verified at the moment: anybody may have made it. */
export class CannotVerify extends Error {}
