/** Runs an asynchronous function `count` times, sixteen at once; resolves to what each returned. */
export async function inParallel<Result>(count: number, run: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  let left = count;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      results.push(await run());
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  return results;
}
