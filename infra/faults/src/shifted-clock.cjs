// Loaded before a service: shifts its clock by SHIFTED_CLOCK_MILLISECONDS.
const shift = Number(process.env.SHIFTED_CLOCK_MILLISECONDS);
const now = Date.now.bind(Date);
Date.now = () => now() + shift;
globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    args.length === 0
      ? new target(now() + shift)
      : Reflect.construct(target, args, newTarget === globalThis.Date ? target : newTarget),
  apply: (target) => new target(now() + shift).toString(),
});
