/** Violated promises by kind, each with its number and an example. */
export class Findings {
  private readonly kinds = new Map<string, { count: number; example: string }>();

  add(kind: string, example: string): void {
    const found = this.kinds.get(kind);
    if (found === undefined) this.kinds.set(kind, { count: 1, example });
    else found.count += 1;
  }

  get sentences(): string[] {
    return [...this.kinds].map(([kind, { count, example }]) => `${count} × ${kind}, such as ${example}`);
  }
}
