import { once } from 'node:events';
import { connect } from 'node:tls';

const handshakeMsMax = 2_000;

/** PEM of the self-signed certificate of the server at this port of 127.0.0.1. */
export async function certificateAt(port: number): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(handshakeMsMax) });
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined) throw new Error(`the server at port ${port} has no certificate`);
    return certificate.toString();
  } finally {
    socket.destroy();
  }
}
