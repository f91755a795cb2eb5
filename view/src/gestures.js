// Mouse, pen and fingers on the map: drag to move, wheel or pinch to zoom, a tap or a hover to ask.

const TAP = 6; // pixels that a tap may slip

export function listenToPointers(element, app) {
  const down = new Map();
  let slipped = 0, spread = 0, middle = null;
  const local = (event) => {
    const box = element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const gather = () => {
    const places = [...down.values()];
    middle = places.reduce((sum, place) => [sum[0] + place[0] / places.length, sum[1] + place[1] / places.length], [0, 0]);
    spread = places.length > 1 ? Math.hypot(places[0][0] - places[1][0], places[0][1] - places[1][1]) : 0;
  };

  element.addEventListener("pointerdown", (event) => {
    if (event.button > 0) return;
    if (element.setPointerCapture) element.setPointerCapture(event.pointerId);
    if (!down.size) slipped = 0;
    down.set(event.pointerId, local(event));
    gather();
  });
  element.addEventListener("pointermove", (event) => {
    const place = local(event);
    if (!down.has(event.pointerId)) {
      if (event.pointerType !== "touch") app.point(place);
      return;
    }
    const before = middle, apart = spread;
    down.set(event.pointerId, place);
    gather();
    slipped += Math.hypot(middle[0] - before[0], middle[1] - before[1]);
    if (slipped < TAP && !apart) return;
    app.pan(middle[0] - before[0], middle[1] - before[1]);
    if (apart > 0 && spread > 0) app.zoom(spread / apart, middle);
  });
  const up = (event) => {
    if (!down.delete(event.pointerId)) return;
    if (!down.size && slipped < TAP && event.type === "pointerup") app.point(local(event), true);
    if (down.size) gather();
  };
  element.addEventListener("pointerup", up);
  element.addEventListener("pointercancel", up);
  element.addEventListener("pointerleave", (event) => {
    if (event.pointerType !== "touch" && !down.size) app.unpoint();
  });
  element.addEventListener("wheel", (event) => {
    event.preventDefault();
    app.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0018)), local(event));
  }, { passive: false });
  element.addEventListener("dblclick", (event) => app.zoom(event.shiftKey ? 0.5 : 2, local(event)));
}
