/** A step of making a connection. `address`: whether the policy allows it. */
export type DialStep = 'address' | 'name_resolution' | 'connection' | 'tls';

/** The outcome of one step of one connection. */
export interface DialEvent {
  readonly host: string;
  readonly port: number;
  readonly step: DialStep;
  /** Why the step failed, in our words or as a code of the platform. Absent: it passed. */
  readonly failure?: string;
}

/** Follows the connections of a client, so that a check can say which step fails. */
export type DialTrace = (event: DialEvent) => void;
