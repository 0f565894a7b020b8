// The slots of what is drawn of a list. What is drawn of another list takes over the elements of the former one, in their
// order. To change their texts takes less time than to make them anew. Within a list each row keeps its own.

export class Slots<Id> {
  #slots: ReadonlyMap<Id, number> = new Map();
  #list = -1;
  #made = 0;

  /** The slot of each of `drawn`, which are of the list with the number `list`. */
  of(list: number, drawn: readonly Id[]): (id: Id) => number {
    const before = this.#slots;
    const kept = list === this.#list ? before : new Map<Id, number>();
    const free = (list === this.#list ? [] : [...before.values()]).values();
    const slots = new Map(drawn.map((id) => [id, kept.get(id) ?? free.next().value ?? this.#make()]));
    this.#list = list;
    this.#slots = slots;
    return (id) => slots.get(id) ?? -1;
  }

  #make(): number {
    this.#made += 1;
    return this.#made;
  }
}
