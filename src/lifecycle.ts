/** Something with a lifetime. Making it does no work; `start` does, and `stop` undoes it. */
export interface Lifecycle {
  readonly name: string;
  start?(): Promise<void>;
  stop?(): Promise<void>;
}
