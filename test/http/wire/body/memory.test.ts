import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { BodyMemory } from '#http/wire/body/memory.ts';
import { BodyReader } from '#http/wire/body/reader.ts';

const busy = expect.objectContaining({ kind: 'unavailable', retryAfterSeconds: 1 });

/** Memory for 100 bytes, and requests whose bodies of these sizes have arrived. */
function memoryOf100() {
  const memory = new BodyMemory({ large: 100, members: 100 });
  return async (bytes: number) => {
    const request = new BodyReader(Readable.from([Buffer.alloc(bytes, ' ')]), bytes, memory);
    if (bytes > 0) await request.rest(bytes, () => {});
    return request;
  };
}

/** The error that it throws; undefined when it throws none. */
function thrownBy(work: () => void): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('the memory for stored secrets', () => {
  test('may exceed the limit for a single request', async () => {
    const arrived = memoryOf100();
    const alone = await arrived(100);
    alone.hold(133);
  });

  test('goes to one of two requests that hold their bodies, and to the other once the first has finished', async () => {
    const arrived = memoryOf100();
    const [one, other] = [await arrived(50), await arrived(50)];
    one.hold(100);
    expect(thrownBy(() => other.hold(100))).toEqual(busy);
    one.release();
    other.hold(100);
  });

  test('is bounded: beyond it no request gets any, for a body or a secret', async () => {
    const arrived = memoryOf100();
    const beyond = await arrived(60);
    beyond.hold(41);
    await expect(arrived(1)).rejects.toEqual(busy);
    const empty = await arrived(0);
    expect(thrownBy(() => empty.hold(1))).toEqual(busy);
    beyond.release();
    await arrived(100);
  });

  test('is reserved once by a transaction that is run again', async () => {
    const arrived = memoryOf100();
    const again = await arrived(10);
    for (let run = 0; run < 5; run += 1) again.hold(60);
    again.hold(70);
    await arrived(20);
    await expect(arrived(1)).rejects.toEqual(busy);
  });

  test('is not reserved for a request that has been answered, which would never release it', async () => {
    const arrived = memoryOf100();
    const late = await arrived(10);
    late.release();
    expect(thrownBy(() => late.hold(50))).toMatchObject({ kind: 'unavailable' });
    await arrived(100);
  });
});
