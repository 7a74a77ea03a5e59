import type { Clock } from '#core/clock.ts';
import { type Eventual, mapMaybePromise } from '#core/concurrency/eventual.ts';
import { AppError, TooManyRequests } from '#core/errors.ts';
import type { AuditedOutcome, AuditedRequest, Auditor, Recording } from './contract.ts';
import type { Device } from './devices/device.ts';
import { type Refusal, replyLine, requestLine } from './lines/lines.ts';
import type { RecordedHeaders } from './lines/marks.ts';
import { requestMembers } from './lines/request.ts';
import type { Record } from './record.ts';
import type { DeviceCopy } from './store/copy.ts';

/** The auditor of a process, with its devices. */
export function openAuditor(devices: DeviceCopy, record: Record, clock: Clock): Auditor {
  async function begin(request: AuditedRequest, refusal?: Refusal): Promise<Recording | undefined> {
    const open = await devices.current();
    if (open.devices.length === 0) return undefined;
    const members = membersOf(request, open.headers);
    const time = clock.now();
    await record(open.devices, (device) =>
      mapMaybePromise(members(device), (text) => requestLine(device.marks, time, text, refusal)),
    );
    return { end: (outcome) => end({ request, members, known: open.devices }, outcome) };
  }
  async function end({ request, members, known }: Recorded, outcome: AuditedOutcome): Promise<void> {
    const time = clock.now();
    const present = await devices.current();
    // The outcome of the request that sealed the service still goes to the devices that recorded the request.
    const targets = present.devices.length > 0 ? present.devices : known.filter(isOpen);
    if (targets.length === 0) return;
    await record(targets, (device) =>
      mapMaybePromise(members(device), (text) => replyLine(device.marks, time, { request, members: text }, outcome)),
    );
  }
  return {
    get idle() {
      return devices.fresh?.devices.length === 0;
    },
    begin: (request) => begin(request),
    async refused(request, error) {
      if (isNotAudited(error)) return;
      const recording = await begin(request, { request, error });
      await recording?.end({ error });
    },
  };
}

interface Recorded {
  readonly request: AuditedRequest;
  readonly members: (device: Device) => Eventual<string>;
  readonly known: readonly Device[];
}

/** The common part of the two lines of a request, written once for each device. */
function membersOf(request: AuditedRequest, headers: RecordedHeaders): Recorded['members'] {
  const made = new Map<Device, Eventual<string>>();
  return (device) => {
    const known = made.get(device) ?? requestMembers(request, device.marks, headers);
    made.set(device, known);
    return known;
  };
}

const isOpen = ({ queue }: Device): boolean => !queue.closed;

/** Refusals before any processing are not recorded, so that a flood of such requests cannot fill the log. */
const isNotAudited = (error: unknown): boolean =>
  error instanceof TooManyRequests || (error instanceof AppError && error.kind === 'sealed');
