import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Limits a server's connections. Beyond the limit, the server closes the connection whose request has been incomplete for
 * longest, or else the oldest idle connection. Node's own limit closes new connections, so slow requests could take up all
 * connections.
 * @param onClosed called when a connection is closed to make room
 */
export function limitConnections(server: Server, maxConnections: number, onClosed: () => void): void {
  const open = new Set<Socket>();
  /** The connections with an incomplete request, oldest first. A new connection counts as an incomplete request. */
  const incomplete = new Set<Socket>();

  function remove(socket: Socket): void {
    open.delete(socket);
    incomplete.delete(socket);
  }

  server.on('connection', (socket) => {
    open.add(socket);
    incomplete.add(socket);
    socket.once('close', () => remove(socket));
    if (open.size <= maxConnections) return;
    const [oldest = socket] = incomplete.size > 1 ? incomplete : open;
    // Destroying a connection only emits `close` in a later turn of the event loop.
    remove(oldest);
    oldest.destroy();
    onClosed();
  });
  server.on('request', (request) => {
    const { socket } = request;
    incomplete.add(socket);
    request.once('end', () => void incomplete.delete(socket));
  });
}
