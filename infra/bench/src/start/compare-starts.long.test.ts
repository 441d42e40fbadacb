import { prepareStarts } from './compare-starts';
import { measureStart } from './measure-start';

test('the start of playback is measured until it is ready', async () => {
  const { services, close } = await prepareStarts();
  try {
    const figures = await measureStart(services.playback);
    expect(figures).toEqual({ cpuMilliseconds: expect.any(Number), mebibytes: expect.any(Number) });
  } finally {
    await close();
  }
});
