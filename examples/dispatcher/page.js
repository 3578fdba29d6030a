new EventSource("/events").onmessage = e => {
  for (const [name, n] of Object.entries(JSON.parse(e.data))) document.getElementById(name).textContent = n;
};
