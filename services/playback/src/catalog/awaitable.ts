/** A value, or the promise of one. A create reads some twenty documents; those in memory are passed on without promises. */
export type Awaitable<Value> = Value | Promise<Value>;

/** Applies a function to a value: at once if the value is there, otherwise when it is. */
export function whenThere<Value, Result>(
  value: Awaitable<Value>,
  use: (value: Value) => Awaitable<Result>,
): Awaitable<Result> {
  return value instanceof Promise ? value.then(use) : use(value);
}

/** Like {@link whenThere}, for two values. */
export function whenBothThere<One, Other, Result>(
  one: Awaitable<One>,
  other: Awaitable<Other>,
  use: (one: One, other: Other) => Awaitable<Result>,
): Awaitable<Result> {
  if (!(one instanceof Promise) && !(other instanceof Promise)) return use(one, other);
  return Promise.all([one, other]).then(([first, second]) => use(first, second));
}
