data "google_compute_zones" "here" {
  region = var.region.cloud_region
}

data "google_compute_image" "debian" {
  family  = "debian-12"
  project = "debian-cloud"
}

locals {
  zones    = sort(data.google_compute_zones.here.names)
  servers  = [for i in range(var.region.servers) : "${var.region.name}-${i + 1}"]
  clients  = [for i in range(var.region.clients) : i == 0 ? "${var.region.name}-client" : "${var.region.name}-client-${i + 1}"]
  ssh_keys = "admin:${var.public_key}"
}

resource "google_compute_subnetwork" "this" {
  name          = "morty-${var.cluster}-${var.region.name}"
  region        = var.region.cloud_region
  network       = var.network
  ip_cidr_range = var.region.cidr
}

# A disk outlives its server's machine. To delete data for good, remove prevent_destroy first. Its zone is
# chosen once, in turn: the list of zones may change later.
resource "google_compute_disk" "data" {
  for_each = { for i, name in local.servers : name => i }
  name     = "morty-${var.cluster}-${each.key}-data"
  zone     = local.zones[each.value % length(local.zones)]
  size     = var.data_gib
  type     = "pd-ssd"
  lifecycle {
    prevent_destroy = true
    ignore_changes  = [zone]
  }
}

resource "google_compute_instance" "server" {
  for_each     = toset(local.servers)
  name         = "morty-${var.cluster}-${each.key}"
  zone         = google_compute_disk.data[each.key].zone
  machine_type = var.server_type
  tags         = [var.tag]
  labels       = { morty-role = "server" }
  boot_disk {
    initialize_params {
      image = data.google_compute_image.debian.self_link
      type  = "pd-balanced"
    }
  }
  attached_disk {
    source      = google_compute_disk.data[each.key].id
    device_name = "data"
  }
  network_interface {
    subnetwork = google_compute_subnetwork.this.id
    access_config {} # a public address, for the operators
  }
  metadata = {
    ssh-keys       = local.ssh_keys
    startup-script = file("${path.module}/start.sh") # formats and mounts the data disk
  }
  shielded_instance_config {
    enable_secure_boot = true
  }
  lifecycle {
    # Each of these changes replaces or stops a machine, and an apply would do so to all servers of all
    # regions at once. docs/how-to/deploy.md says how to apply them to one server at a time.
    ignore_changes = [boot_disk[0].initialize_params, machine_type, metadata["startup-script"]]
  }
}

resource "google_compute_instance" "client" {
  for_each     = { for i, name in local.clients : name => i }
  name         = "morty-${var.cluster}-${each.key}"
  zone         = local.zones[each.value % length(local.zones)]
  machine_type = var.client_type
  tags         = [var.tag]
  labels       = { morty-role = "client" }
  boot_disk {
    initialize_params {
      image = data.google_compute_image.debian.self_link
      type  = "pd-balanced"
    }
  }
  network_interface {
    subnetwork = google_compute_subnetwork.this.id
    access_config {}
  }
  metadata = { ssh-keys = local.ssh_keys }
  shielded_instance_config {
    enable_secure_boot = true
  }
  lifecycle {
    ignore_changes = [boot_disk[0].initialize_params, zone]
  }
}
