import type { Server } from 'node:net';
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { VerbTranslator } from './translator.ts';

/**
 * A client's socket as `node:http` shall see it: the same bytes, verbs replaced. It has the members of a socket that
 * the HTTP server uses (timeouts, addresses, `destroySoon`); back-pressure, half-close, errors and closing pass through
 * both ways.
 */
class TranslatedSocket extends Duplex implements Connection {
  readonly #socket: Socket;
  readonly #translator = new VerbTranslator();
  #fresh = true;

  constructor(socket: Socket) {
    super({ decodeStrings: false });
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#receive(this.#translator.translate(chunk)));
    socket.on('end', () => this.#end());
    socket.on('timeout', () => this.emit('timeout'));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  get fresh(): boolean {
    return this.#fresh;
  }
  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }
  get remotePort(): number | undefined {
    return this.#socket.remotePort;
  }
  get remoteFamily(): string | undefined {
    return this.#socket.remoteFamily;
  }
  get localAddress(): string | undefined {
    return this.#socket.localAddress;
  }
  get localPort(): number | undefined {
    return this.#socket.localPort;
  }
  get encrypted(): boolean {
    return this.#socket instanceof TLSSocket;
  }

  setTimeout(milliseconds: number, listener?: () => void): this {
    if (listener !== undefined) this.once('timeout', listener);
    this.#socket.setTimeout(milliseconds);
    return this;
  }
  setNoDelay(on?: boolean): this {
    this.#socket.setNoDelay(on);
    return this;
  }
  setKeepAlive(on?: boolean, delayMs?: number): this {
    this.#socket.setKeepAlive(on, delayMs);
    return this;
  }
  ref(): this {
    this.#socket.ref();
    return this;
  }
  unref(): this {
    this.#socket.unref();
    return this;
  }
  /** Ends after what is written has gone out, as a socket's does. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, encoding, done);
  }

  /** A reply's head and body leave in one packet. */
  override _writev(chunks: Written[], done: (error?: Error | null) => void): void {
    this.#socket.cork();
    chunks.forEach(({ chunk, encoding }, index) => {
      this.#socket.write(chunk, encoding, index === chunks.length - 1 ? done : undefined);
    });
    this.#socket.uncork();
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }

  #receive(bytes: Buffer): void {
    this.#fresh = false;
    if (bytes.length > 0 && !this.push(bytes)) this.#socket.pause();
  }

  #end(): void {
    this.#receive(this.#translator.flush());
    this.push(null);
  }
}

/** A connection of a client. */
export interface Connection extends Duplex {
  /** Nothing has come on it yet. */
  readonly fresh: boolean;
}

interface Written {
  readonly chunk: Buffer | string;
  readonly encoding: BufferEncoding;
}

/**
 * Makes an `http` or `https` server see translated sockets. The server's own listener for new connections is kept and
 * given the wrapped socket (the documentation of the `connection` event allows any Duplex), so its limits on time and
 * its closing work as ever. Answers the connections that are open.
 */
export function acceptVerbs(server: Server, event: 'connection' | 'secureConnection'): ReadonlySet<Connection> {
  const open = new Set<Connection>();
  const listeners = server.listeners(event);
  server.removeAllListeners(event);
  server.on(event, (socket: unknown) => {
    if (!(socket instanceof Socket)) throw new TypeError('a connection is a socket');
    const translated = new TranslatedSocket(socket);
    open.add(translated);
    translated.on('close', () => open.delete(translated));
    for (const listener of listeners) Reflect.apply(listener, server, [translated]);
  });
  return open;
}
