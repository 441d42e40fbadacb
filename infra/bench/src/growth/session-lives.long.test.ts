import { operations } from '../contender';
import { startLicenseServer } from '../deployment';
import { LoadGenerator } from '../load';
import { deploy } from './deployed';
import { measureLives } from './session-lives';

test('sessions of a filled deployment are created, renewed, licensed and released', async () => {
  const size = { sessions: 10, slots: 2, documents: 1, processes: 1, redisServers: 1 } as const;
  const deployed = await deploy('small', size, await startLicenseServer());
  const generator = LoadGenerator.start();
  try {
    const figures = await measureLives(deployed, generator, { connections: 1, count: 6 });
    expect(Object.keys(figures)).toEqual(operations);
  } finally {
    generator.stop();
    await deployed.close();
  }
});
