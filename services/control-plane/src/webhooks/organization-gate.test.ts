import { OrganizationGate } from './organization-gate';

test('an organization has 64 messages under way at most, which leaves places for others', async () => {
  const gate = new OrganizationGate();
  const entered = await Promise.all(Array.from({ length: 64 }, () => gate.enter('one')));
  let isWaiting = true;
  const next = gate.enter('one').then((leave) => {
    isWaiting = false;
    return leave;
  });
  const leaveOther = await gate.enter('other');
  expect(isWaiting).toBe(true);
  entered[0]?.();
  (await next)?.();
  leaveOther?.();
});

test('all organizations together have 512 messages under way at most', async () => {
  const gate = new OrganizationGate();
  const organizations = Array.from({ length: 8 }, (_, index) => `organization-${index}`);
  const entered = await Promise.all(
    organizations.flatMap((name) => Array.from({ length: 64 }, () => gate.enter(name))),
  );
  let isWaiting = true;
  const next = gate.enter('another').then((leave) => {
    isWaiting = false;
    return leave;
  });
  await Promise.resolve();
  expect(isWaiting).toBe(true);
  for (const leave of entered) leave?.();
  (await next)?.();
});
